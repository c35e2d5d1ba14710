"""Messages of Rhasspy by its own classes: `write` prints some, `read` reads what was answered."""

import json
import sys

from rhasspyhermes.asr import AsrTextCaptured
from rhasspyhermes.dialogue import DialogueContinueSession, DialogueEndSession
from rhasspyhermes.nlu import NluIntentNotRecognized, NluIntentParsed, NluQuery
from rhasspyhermes.tts import TtsSay

ANSWERS = [DialogueEndSession, DialogueContinueSession, TtsSay, NluIntentParsed, NluIntentNotRecognized]


def captured(text, session):
    return AsrTextCaptured(text=text, likelihood=1.0, seconds=0.5, site_id="hall", session_id=session)


MESSAGES = {
    "switch": captured("turn on switch one", "s-1"),
    "door": captured("turn on the garage door", "s-2"),
    "yes": captured("yes", "s-2"),
    "no session": captured("turn off switch one", None),
    "query": NluQuery(input="turn on switch two", site_id="hall", id="q-1"),
    "strange query": NluQuery(input="sing me a song", site_id="hall", id="q-2"),
    "nothing": captured("", "s-3"),
}


def write():
    for name, message in MESSAGES.items():
        print(json.dumps({"name": name, "topic": message.topic(), "payload": json.loads(message.payload())}))


def read():
    for heard in json.loads(sys.argv[2]):
        kind = next(kind for kind in ANSWERS if kind.topic() == heard["topic"])
        message = kind.from_dict(heard["payload"])
        text = getattr(message, "text", None)
        if isinstance(message, NluIntentParsed):
            text = " ".join([message.intent.intent_name, *(str(slot.value["value"]) for slot in message.slots)])
        if isinstance(message, NluIntentNotRecognized):
            text = message.input
        print(
            json.dumps(
                {
                    "class": kind.__name__,
                    "text": text,
                    "site": getattr(message, "site_id", None),
                    "session": getattr(message, "session_id", None),
                }
            )
        )


write() if sys.argv[1] == "write" else read()
