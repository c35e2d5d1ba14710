"""Ollama's chat, by the SDK `ollama`."""

import functools
import json

import httpx
import ollama
from ollama import ChatResponse
from pydantic import TypeAdapter

from asking import SECONDS, failed, functions, question, strictly
from chat_front import PLAIN

LINE = TypeAdapter(ChatResponse)


@functools.cache
def sdk(base, token):
    return ollama.Client(host=base, headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS)


def asked(case):
    body = {
        "model": case["model"],
        "messages": [{"role": "user", "content": question(case)}],
        "tools": functions(case),
    }
    options = {"num_predict": case.get("max_tokens"), "temperature": case.get("temperature")}
    options = {name: value for name, value in options.items() if value is not None}
    if options:
        body["options"] = options
    return body


def run(order, case, facts):
    client = sdk(order["base"], order["token"])
    body = asked(case)
    begun = False
    try:
        if case["stream"]:
            for part in client.chat(**body, stream=True):
                begun = True
                told(part, facts)
        else:
            told(client.chat(**body), facts)
    except ollama.ResponseError as error:
        # Inside a stream the SDK knows of no status.
        status = None if begun or error.status_code == -1 else error.status_code
        facts["error"] = failed(error, status, {"error": error.error}, None, begun)
    except httpx.HTTPError as error:
        facts["error"] = failed(error, None, None, None, begun)
    if not order.get("once"):
        raw(order, case, body, facts)


def told(part, facts):
    message = part.message
    facts["text"] += message.content or ""
    facts["thinking"] += message.thinking or ""
    for made in message.tool_calls or []:
        facts["calls"].append({"name": made.function.name, "arguments": dict(made.function.arguments), "id": ""})
        facts["parts"].append("call")
    if part.done:
        facts["stop"] = part.done_reason
        facts["usage"] = {"input": part.prompt_eval_count, "cached": 0, "output": part.eval_count}


def raw(order, case, body, facts):
    """The same once more, byte by byte."""
    problems = facts["problems"]
    headers = {"authorization": f"Bearer {order['token']}"}
    body = {**body, "stream": case["stream"]}
    answer = PLAIN.post(f"{order['base']}/api/chat", headers=headers, json=body)
    if answer.status_code != 200:
        if facts["error"]:
            facts["error"]["retry_after"] = answer.headers.get("retry-after")
        try:
            if not isinstance(answer.json().get("error"), str):
                problems.append(f"not the shape of an error: {answer.text[:300]}")
        except ValueError:
            problems.append(f"an error is no JSON: {answer.text[:200]}")
        return
    if not case["stream"]:
        judge(answer.text, case, problems)
        if answer.json().get("done") is not True:
            problems.append("a whole answer that is not done")
        return
    if "ndjson" not in answer.headers.get("content-type", ""):
        problems.append(f"a stream has the type {answer.headers.get('content-type')}")
    ended = None
    for line in answer.text.splitlines():
        if ended:
            problems.append(f"a line after {ended}: {line[:200]}")
        try:
            value = json.loads(line)
        except ValueError:
            problems.append(f"a line is no JSON: {line[:200]}")
            continue
        if "error" in value:
            ended = "the error"
            if not isinstance(value["error"], str):
                problems.append(f"an error is no text: {line[:200]}")
            continue
        judge(line, case, problems)
        if value.get("done") is True:
            ended = "the end"
            if value["message"].get("tool_calls"):
                problems.append("a call in the last line")
            if not isinstance(value.get("done_reason"), str):
                problems.append("the last line has no done_reason")
        elif value.get("done") is not False:
            problems.append(f"a line does not say whether it is the last: {line[:200]}")
    if ended is None:
        problems.append("the stream has no end")


def judge(text, case, problems):
    strictly(LINE, text, "line", problems)
    value = json.loads(text)
    if value.get("model") != case["model"]:
        problems.append(f"the model is {value.get('model')}")
    if not isinstance(value.get("created_at"), str):
        problems.append("a line has no created_at")
    if not isinstance(value.get("message", {}).get("content"), str):
        problems.append(f"a line has no content: {text[:200]}")
