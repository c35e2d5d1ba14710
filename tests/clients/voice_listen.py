"""Understands a spoken sentence of a small grammar: a WAV file (16 kHz, mono, 16 bit) in, its words out."""

import sys
import tempfile
import wave

from pocketsphinx import Decoder

GRAMMAR = """#JSGF V1.0;
grammar house;
public <sentence> = turn (on | off) (switch one | the hall light | the old heater);
"""

with tempfile.NamedTemporaryFile("w", suffix=".gram") as grammar:
    grammar.write(GRAMMAR)
    grammar.flush()
    decoder = Decoder(jsgf=grammar.name, loglevel="FATAL")
with wave.open(sys.argv[1]) as sound:
    samples = sound.readframes(sound.getnframes())
decoder.start_utt()
decoder.process_raw(samples, full_utt=True)
decoder.end_utt()
heard = decoder.hyp()
print(heard.hypstr if heard else "")
