"""Asks one base address in every dialect with the official SDKs, and tells what came as facts.

Standard input: {"base", "token", "cases": [{"front", "model", "stream", "messages"?, "choice"?}]}. Standard output: one line
of JSON for each case: {"front", "model", "stream", "text", "thinking", "refusal", "parts", "calls", "stop", "usage",
"error", "problems"}. Every object and every event is checked against the SDK's own models, strictly, and so is their
order; whatever is wrong stands in "problems".
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import anthropic_front
import chat_front
import ollama_front
import responses_front

FRONTS = {
    "anthropic": anthropic_front.run,
    "chat": chat_front.run,
    "responses": responses_front.run,
    "ollama": ollama_front.run,
}


def run(order, case):
    facts = {
        **case,
        "text": "",
        "thinking": "",
        "refusal": None,
        "parts": [],
        "calls": [],
        "stop": None,
        "usage": None,
        "error": None,
        "problems": [],
    }
    try:
        FRONTS[case["front"]](order, case, facts)
    except Exception as error:  # whatever an SDK throws is a fact, too
        facts["problems"].append(f"{type(error).__module__}.{type(error).__name__}: {error}")
    return json.dumps(facts, ensure_ascii=False)


def main():
    order = json.load(sys.stdin)
    with ThreadPoolExecutor(order.get("at_once", 4)) as pool:
        for line in pool.map(lambda case: run(order, case), order["cases"]):
            print(line, flush=True)


if __name__ == "__main__":
    main()
