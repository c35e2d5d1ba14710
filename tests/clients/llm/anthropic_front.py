"""The Messages API, by the SDK `anthropic`."""

import functools
import json
import re

import anthropic
import httpx2
from anthropic.types import Message, RawMessageStreamEvent
from pydantic import TypeAdapter

from asking import SECONDS, call, events, failed, ids_differ, question, strictly, tools

WHOLE = TypeAdapter(Message)
EVENT = TypeAdapter(RawMessageStreamEvent)

# Which deltas a block takes.
DELTAS = {
    "text": {"text_delta", "citations_delta"},
    "thinking": {"thinking_delta", "signature_delta"},
    "tool_use": {"input_json_delta"},
}


# A client takes longer to make than an answer to come.
PLAIN = httpx2.Client(timeout=SECONDS)


@functools.cache
def sdk(base, token):
    return anthropic.Anthropic(base_url=base, api_key=token, max_retries=0, timeout=SECONDS)


def asked(case):
    body = {
        "model": case["model"],
        "max_tokens": case.get("max_tokens", 1024),
        "messages": [{"role": "user", "content": question(case)}],
        "tools": [
            {"name": name, "description": about, "input_schema": schema} for name, about, schema in tools(case)
        ],
    }
    # This SDK has no temperature any more.
    if case.get("force"):
        body["tool_choice"] = {"type": "any"}
    return body


def run(order, case, facts):
    client = sdk(order["base"], order["token"])
    body = asked(case)
    message = None
    try:
        if case["stream"]:
            with client.messages.stream(**body) as stream:
                try:
                    for _ in stream:
                        pass
                    message = stream.get_final_message()
                except anthropic.APIStatusError as error:
                    facts["error"] = failed(error, error.status_code, error.body, None, True)
                    try:
                        message = stream.current_message_snapshot
                    except AssertionError:
                        pass
        else:
            message = client.messages.create(**body)
    except anthropic.APIStatusError as error:
        facts["error"] = failed(error, error.status_code, error.body, error.response.headers, False)
    except anthropic.APIError as error:
        facts["error"] = failed(error, None, None, None, case["stream"])
    if message is not None:
        told(message, facts)
    if not order.get("once"):
        raw(order, case, body, facts)


def told(message, facts):
    for block in message.content:
        match block.type:
            case "text":
                facts["text"] += block.text
                facts["parts"].append("text")
            case "thinking":
                facts["thinking"] += block.thinking
                facts["parts"].append("thinking")
            case "tool_use":
                facts["calls"].append(call(block.name, block.input, block.id))
                facts["parts"].append("call")
    facts["stop"] = message.stop_reason
    ids_differ(facts)
    for made in facts["calls"]:
        if not re.fullmatch(r"[a-zA-Z0-9_-]+", made["id"] or ""):
            facts["problems"].append(f"the id {made['id']} has characters that are not allowed")
    usage = message.usage
    cached, fresh = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    facts["usage"] = {
        "input": usage.input_tokens + cached + fresh,
        "cached": cached,
        "output": usage.output_tokens,
    }


def raw(order, case, body, facts):
    """The same once more, byte by byte."""
    problems = facts["problems"]
    headers = {"x-api-key": order["token"], "anthropic-version": "2023-06-01"}
    body = {**body, "stream": case["stream"]}
    answer = PLAIN.post(f"{order['base']}/v1/messages?beta=true", headers=headers, json=body)
    kind = answer.headers.get("content-type", "")
    if answer.status_code != 200:
        error_shape(answer, problems)
    elif not case["stream"]:
        strictly(WHOLE, answer.text, "message", problems)
        if answer.json().get("model") != case["model"]:
            problems.append(f"the model is {answer.json().get('model')}")
    elif not kind.startswith("text/event-stream"):
        problems.append(f"a stream has the type {kind}")
    else:
        stream(answer.text, case, facts)


def error_shape(answer, problems):
    try:
        body = answer.json()
    except ValueError:
        problems.append(f"an error is no JSON: {answer.text[:200]}")
        return
    error = body.get("error")
    if body.get("type") != "error" or not isinstance(error, dict):
        problems.append(f"not the shape of an error: {body}")
    elif not isinstance(error.get("type"), str) or not isinstance(error.get("message"), str):
        problems.append(f"an error without type or message: {body}")
    if not answer.headers.get("request-id"):
        problems.append("an error without the header request-id")


def stream(text, case, facts):
    problems = facts["problems"]
    open_block, next_index, arguments = None, 0, ""
    seen, ended = [], None
    for name, data in events(text):
        try:
            event = json.loads(data)
        except ValueError:
            problems.append(f"an event is no JSON: {data[:200]}")
            continue
        kind = event.get("type")
        if name != kind:
            problems.append(f"the event {kind} is named {name}")
        if ended:
            problems.append(f"{kind} after {ended}")
        seen.append(kind)
        if kind not in ("ping", "error"):
            strictly(EVENT, data, kind, problems)
        if kind == "message_start":
            if seen.count(kind) > 1 or any(it not in ("ping", "message_start") for it in seen):
                problems.append("message_start is not first")
            if event["message"]["model"] != case["model"]:
                problems.append(f"the model is {event['message']['model']}")
            if event["message"]["content"] != [] or event["message"]["stop_reason"] is not None:
                problems.append(f"message_start has said too much: {data}")
        elif kind == "content_block_start":
            if open_block is not None:
                problems.append(f"block {event['index']} begins while another is open")
            if event["index"] != next_index:
                problems.append(f"block {event['index']} instead of {next_index}")
            open_block, arguments = event["content_block"], ""
            next_index = event["index"] + 1
            if open_block["type"] == "tool_use" and open_block["input"] != {}:
                problems.append("a call begins with arguments")
        elif kind == "content_block_delta":
            if open_block is None or event["index"] != next_index - 1:
                problems.append(f"a delta for block {event['index']}, which is not open")
            elif event["delta"]["type"] not in DELTAS.get(open_block["type"], ()):
                problems.append(f"{event['delta']['type']} in a block of {open_block['type']}")
            else:
                arguments += event["delta"].get("partial_json", "")
        elif kind == "content_block_stop":
            if open_block is None or event["index"] != next_index - 1:
                problems.append(f"the end of block {event['index']}, which is not open")
            elif open_block["type"] == "tool_use":
                judge_arguments(arguments, facts)
            open_block = None
        elif kind == "message_delta":
            if seen.count(kind) > 1:
                problems.append("two message_delta")
            if open_block is not None:
                problems.append("message_delta while a block is open")
        elif kind in ("message_stop", "error"):
            ended = kind
            if kind == "message_stop" and seen.count("message_delta") != 1:
                problems.append("message_stop without message_delta")
            if kind == "error" and not isinstance(event.get("error", {}).get("message"), str):
                problems.append(f"not the shape of an error: {data}")
    if ended is None:
        problems.append(f"the stream has no end: {seen[-3:]}")
    if "message_start" not in seen and ended != "error":
        problems.append("no message_start")


def judge_arguments(arguments, facts):
    """The text of a finished call is an object, unless there was no more room for it."""
    if facts["stop"] == "max_tokens":
        for made in facts["calls"][-1:]:
            try:
                json.loads(arguments or "{}")
            except ValueError:
                # The SDK shows what it has so far; nobody may execute that.
                made["arguments"] = None
        return
    try:
        if not isinstance(json.loads(arguments or "{}"), dict):
            facts["problems"].append(f"arguments are no object: {arguments}")
    except ValueError:
        facts["problems"].append(f"arguments are no JSON: {arguments}")
