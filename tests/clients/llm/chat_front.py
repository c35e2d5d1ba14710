"""Chat Completions, by the SDK `openai`."""

import functools
import json

import httpx
import openai
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import TypeAdapter

from asking import SECONDS, call, events, failed, functions, ids_differ, question, strictly

WHOLE = TypeAdapter(ChatCompletion)
CHUNK = TypeAdapter(ChatCompletionChunk)


# A client takes longer to make than an answer to come.
PLAIN = httpx.Client(timeout=SECONDS)


@functools.cache
def sdk(base, token):
    return openai.OpenAI(base_url=f"{base}/v1", api_key=token, max_retries=0, timeout=SECONDS)


def asked(case):
    body = {
        "model": case["model"],
        "messages": [{"role": "user", "content": question(case)}],
        "tools": functions(case),
    }
    if "max_tokens" in case:
        body["max_tokens"] = case["max_tokens"]
    if "temperature" in case:
        body["temperature"] = case["temperature"]
    if case.get("force"):
        body["tool_choice"] = "required"
    if case["stream"]:
        body["stream_options"] = {"include_usage": True}
    return body


def run(order, case, facts):
    client = sdk(order["base"], order["token"])
    body = asked(case)
    completion = None
    try:
        if case["stream"]:
            state = ChatCompletionStreamState()
            usage = None
            try:
                for chunk in client.chat.completions.create(**body, stream=True):
                    usage = chunk.usage or usage
                    # The accumulator wants a finish reason on all but the first; what it cannot take it throws at.
                    state.handle_chunk(chunk)
            except openai.APIStatusError:
                raise
            except openai.LengthFinishReasonError:
                pass
            except openai.ContentFilterFinishReasonError:
                pass
            except openai.APIError as error:
                facts["error"] = failed(error, None, error.body, None, True)
            try:
                completion = state.current_completion_snapshot
                completion.usage = usage
            except (AssertionError, RuntimeError):
                pass
        else:
            completion = client.chat.completions.create(**body)
    except openai.APIStatusError as error:
        body_of = error.response.json() if error.response.content else None
        facts["error"] = failed(error, error.status_code, body_of, error.response.headers, False)
    except openai.APIError as error:
        facts["error"] = failed(error, None, error.body, None, case["stream"])
    if completion is not None:
        told(completion, facts)
    if not order.get("once"):
        raw(order, case, body, facts)


def told(completion, facts):
    choice = completion.choices[0] if completion.choices else None
    if choice is not None:
        message = choice.message
        facts["text"] = message.content or ""
        facts["thinking"] = getattr(message, "reasoning_content", None) or ""
        facts["refusal"] = message.refusal
        for made in message.tool_calls or []:
            facts["calls"].append(call(made.function.name, made.function.arguments, made.id))
            facts["parts"].append("call")
        facts["stop"] = choice.finish_reason
    ids_differ(facts)
    usage = completion.usage
    if usage is not None:
        details = usage.prompt_tokens_details
        facts["usage"] = {
            "input": usage.prompt_tokens,
            "cached": (details.cached_tokens or 0) if details else 0,
            "output": usage.completion_tokens,
        }


def raw(order, case, body, facts):
    """The same once more, byte by byte."""
    problems = facts["problems"]
    headers = {"authorization": f"Bearer {order['token']}"}
    body = {**body, "stream": case["stream"]}
    answer = PLAIN.post(f"{order['base']}/v1/chat/completions", headers=headers, json=body)
    if answer.status_code != 200:
        error_shape(answer, problems)
    elif not case["stream"]:
        strictly(WHOLE, answer.text, "completion", problems)
        if answer.json().get("model") != case["model"]:
            problems.append(f"the model is {answer.json().get('model')}")
    elif not answer.headers.get("content-type", "").startswith("text/event-stream"):
        problems.append(f"a stream has the type {answer.headers.get('content-type')}")
    else:
        stream(answer.text, case, facts)


def error_shape(answer, problems):
    try:
        error = answer.json().get("error")
    except ValueError:
        problems.append(f"an error is no JSON: {answer.text[:200]}")
        return
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        problems.append(f"not the shape of an error: {answer.text[:300]}")
    elif not {"type", "param", "code"} <= set(error):
        problems.append(f"an error without type, param or code: {error}")


def stream(text, case, facts):
    problems = facts["problems"]
    calls, finish, done, error, usages, identity = {}, [], 0, False, 0, set()
    first = True
    for name, data in events(text):
        if name is not None:
            problems.append(f"an event has the name {name}")
        if done:
            problems.append(f"data after [DONE]: {data[:100]}")
        if data == "[DONE]":
            done += 1
            continue
        try:
            chunk = json.loads(data)
        except ValueError:
            problems.append(f"a chunk is no JSON: {data[:200]}")
            continue
        if "error" in chunk:
            error = True
            if not isinstance(chunk["error"], dict) or not isinstance(chunk["error"].get("message"), str):
                problems.append(f"not the shape of an error: {data[:200]}")
            continue
        if error:
            problems.append(f"a chunk after the error: {data[:200]}")
        strictly(CHUNK, data, "chunk", problems)
        identity.add((chunk["id"], chunk["created"], chunk["model"]))
        if chunk.get("usage") is not None:
            usages += 1
            if chunk["choices"] != []:
                problems.append("usage in a chunk with choices")
        for choice in chunk["choices"]:
            if choice["index"] != 0:
                problems.append(f"a choice {choice['index']}")
            delta = choice["delta"]
            if first and delta.get("role") != "assistant":
                problems.append(f"the first delta has no role: {data[:200]}")
            first = False
            if finish and (delta.get("content") or delta.get("tool_calls")):
                problems.append("a delta after finish_reason")
            for made in delta.get("tool_calls") or []:
                known = calls.setdefault(made["index"], None)
                if known is None:
                    if made["index"] != len(calls) - 1:
                        problems.append(f"a call with index {made['index']} is number {len(calls)}")
                    if not made.get("id") or not made["function"].get("name") or made.get("type") != "function":
                        problems.append(f"a call begins without id, type or name: {made}")
                    calls[made["index"]] = made["function"].get("arguments") or ""
                else:
                    if made.get("id") or made["function"].get("name"):
                        problems.append(f"a call says its id or name again: {made}")
                    calls[made["index"]] += made["function"].get("arguments") or ""
            if choice.get("finish_reason") is not None:
                finish.append(choice["finish_reason"])
    if len(identity) > 1:
        problems.append(f"id, time or model change: {sorted(identity)}")
    if any(model != case["model"] for _, _, model in identity):
        problems.append(f"the model is {sorted(identity)}")
    if error:
        if finish:
            problems.append(f"an error after the finish {finish}")
        return
    if len(finish) != 1:
        problems.append(f"finish reasons: {finish}")
    if done != 1:
        problems.append(f"{done} times [DONE]")
    if usages != 1:
        problems.append(f"{usages} times usage, asked for once")
    for arguments in calls.values():
        try:
            is_object = isinstance(json.loads(arguments), dict)
        except ValueError:
            is_object = False
        if not is_object and finish != ["length"]:
            problems.append(f"arguments are no object: {arguments}")
