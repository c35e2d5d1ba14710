"""A client of Wyoming: asks what is there, then says sentences, and prints every event as a line of JSON."""

import asyncio
import json
import sys

from wyoming.asr import Transcript
from wyoming.client import AsyncTcpClient
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.ping import Ping


async def main() -> None:
    host, port = sys.argv[1].rsplit(":", 1)
    async with AsyncTcpClient(host, int(port)) as client:
        await client.write_event(Describe().event())
        event = await client.read_event()
        info = Info.from_event(event)
        print(json.dumps({"type": event.type, "handle": [program.name for program in info.handle]}))
        await client.write_event(Ping(text="hello").event())
        event = await client.read_event()
        print(json.dumps({"type": event.type}))
        for text in sys.argv[2:]:
            await client.write_event(Transcript(text=text, language="en").event())
            while True:
                event = await client.read_event()
                if event is None:
                    sys.exit("the connection ended")
                print(json.dumps({"type": event.type, "text": event.data.get("text")}))
                if Handled.is_type(event.type) or NotHandled.is_type(event.type):
                    break


asyncio.run(asyncio.wait_for(main(), 30))
