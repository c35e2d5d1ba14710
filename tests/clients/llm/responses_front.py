"""Responses, by the SDK `openai`."""

import json

import openai
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from asking import call, events, failed, ids_differ, question, strictly, tools
from chat_front import PLAIN, error_shape, sdk

WHOLE = TypeAdapter(Response)
EVENT = TypeAdapter(ResponseStreamEvent)

ENDS = ("response.completed", "response.incomplete", "response.failed", "error")


def asked(case):
    body = {
        "model": case["model"],
        "input": [{"role": "user", "content": question(case)}],
        "tools": [
            {"type": "function", "name": name, "description": about, "parameters": schema, "strict": False}
            for name, about, schema in tools(case)
        ],
    }
    if "max_tokens" in case:
        body["max_output_tokens"] = case["max_tokens"]
    if "temperature" in case:
        body["temperature"] = case["temperature"]
    if case.get("force"):
        body["tool_choice"] = "required"
    return body


def run(order, case, facts):
    client = sdk(order["base"], order["token"])
    body = asked(case)
    try:
        if case["stream"]:
            told_by_events(client, body, facts)
        else:
            told(client.responses.create(**body), facts)
    except openai.APIStatusError as error:
        body_of = error.response.json() if error.response.content else None
        facts["error"] = failed(error, error.status_code, body_of, error.response.headers, False)
    except openai.APIError as error:
        facts["error"] = failed(error, None, error.body, None, case["stream"])
    if not order.get("once"):
        raw(order, case, body, facts)


def told_by_events(client, body, facts):
    last, text = None, ""
    with client.responses.create(**body, stream=True) as stream:
        try:
            for event in stream:
                if event.type == "response.output_text.delta":
                    text += event.delta
                last = event
        except openai.APIError:
            # Some of it came before.
            facts["text"] = text
            raise
    if last is None:
        facts["problems"].append("the stream is empty")
    elif last.type == "response.failed":
        error = last.response.error
        facts["text"] = text
        body_of = error.model_dump() if error else None
        facts["error"] = {"class": "failed", "status": None, "body": body_of, "retry_after": None}
        facts["error"].update({"in_stream": True, "message": error.message if error else ""})
    elif last.type == "error":
        facts["text"] = text
        facts["error"] = {"class": "error", "status": None, "body": last.model_dump(), "retry_after": None}
        facts["error"].update({"in_stream": True, "message": last.message})
    elif last.type in ENDS:
        told(last.response, facts)
    else:
        facts["problems"].append(f"the stream ends with {last.type}")


def told(response, facts):
    for item in response.output:
        match item.type:
            case "message":
                for part in item.content:
                    if part.type == "output_text":
                        facts["text"] += part.text
                        facts["parts"].append("text")
                    else:
                        facts["refusal"] = (facts["refusal"] or "") + part.refusal
                        facts["parts"].append("refusal")
            case "reasoning":
                thought = "".join(part.text for part in item.summary)
                thought = thought or "".join(part.text for part in item.content or [])
                facts["thinking"] += thought
                facts["parts"].append("thinking")
            case "function_call":
                # What is incomplete is not to be executed.
                arguments = item.arguments if item.status != "incomplete" else None
                facts["calls"].append(call(item.name, arguments, item.call_id))
                facts["parts"].append("call")
    why = response.incomplete_details.reason if response.incomplete_details else None
    facts["stop"] = response.status if why is None else f"{response.status}: {why}"
    ids_differ(facts)
    usage = response.usage
    if usage is not None:
        facts["usage"] = {
            "input": usage.input_tokens,
            "cached": usage.input_tokens_details.cached_tokens,
            "output": usage.output_tokens,
        }


def raw(order, case, body, facts):
    """The same once more, byte by byte."""
    problems = facts["problems"]
    headers = {"authorization": f"Bearer {order['token']}"}
    body = {**body, "stream": case["stream"]}
    answer = PLAIN.post(f"{order['base']}/v1/responses", headers=headers, json=body)
    if answer.status_code != 200:
        error_shape(answer, problems)
    elif not case["stream"]:
        strictly(WHOLE, answer.text, "response", problems)
        if answer.json().get("model") != case["model"]:
            problems.append(f"the model is {answer.json().get('model')}")
    elif not answer.headers.get("content-type", "").startswith("text/event-stream"):
        problems.append(f"a stream has the type {answer.headers.get('content-type')}")
    else:
        stream(answer.text, case, problems)


def stream(text, case, problems):
    items, texts, arguments = {}, {}, {}
    seen, number, ended = [], 0, None
    for name, data in events(text):
        if data == "[DONE]":
            problems.append("there is no [DONE] in this dialect")
            continue
        try:
            event = json.loads(data)
        except ValueError:
            problems.append(f"an event is no JSON: {data[:200]}")
            continue
        kind = event.get("type")
        if name != kind:
            problems.append(f"the event {kind} is named {name}")
        if ended and (ended, kind) != ("error", "response.failed"):
            problems.append(f"{kind} after {ended}")
        strictly(EVENT, data, kind, problems)
        # What was held back and never came leaves a gap.
        if not isinstance(event.get("sequence_number"), int) or event["sequence_number"] < number:
            problems.append(f"{kind} has the number {event.get('sequence_number')}, at least {number} is next")
        else:
            number = event["sequence_number"] + 1
        seen.append(kind)
        at = event.get("output_index")
        match kind:
            case "response.output_item.added":
                if at != len(items):
                    problems.append(f"item {at} is number {len(items)}")
                items[at] = None
            case "response.output_item.done":
                if items.get(at, "") is not None:
                    problems.append(f"item {at} ends and is not open")
                items[at] = event["item"]
                if event["item"]["type"] == "function_call" and at in arguments:
                    if arguments[at] != event["item"]["arguments"]:
                        problems.append(f"the pieces of call {at} are not its arguments")
            case "response.output_text.delta":
                texts[(at, event["content_index"])] = texts.get((at, event["content_index"]), "") + event["delta"]
            case "response.output_text.done":
                if texts.get((at, event["content_index"]), "") != event["text"]:
                    problems.append(f"the pieces of text {at} are not its text")
            case "response.function_call_arguments.delta":
                arguments[at] = arguments.get(at, "") + event["delta"]
                if items.get(at, "") is not None:
                    problems.append(f"a delta for item {at}, which is not open")
            case "response.function_call_arguments.done":
                if at in arguments and arguments[at] != event["arguments"]:
                    problems.append(f"the pieces of call {at} are not its arguments")
        if kind in ENDS:
            ended = kind
        if kind in ("response.completed", "response.incomplete"):
            if any(item is None for item in items.values()):
                problems.append("an item is still open at the end")
            if event["response"]["output"] != [items[at] for at in sorted(items)]:
                problems.append("the whole response has other items than the stream")
            if event["response"]["model"] != case["model"]:
                problems.append(f"the model is {event['response']['model']}")
    if seen[:1] != ["response.created"] and ended not in ("error", "response.failed"):
        problems.append(f"the stream begins with {seen[:1]}")
    if ended is None:
        problems.append(f"the stream has no end: {seen[-3:]}")
