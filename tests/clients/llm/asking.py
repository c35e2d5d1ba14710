"""What every client asks, and what they share in reading what comes back."""

import json

from pydantic import ValidationError

SECONDS = 60

QUESTION = "What is the weather in Zürich, and what time is it there?"

SCHEMAS = {
    "get_weather": (
        "The weather of a city.",
        {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city", "days"],
        },
    ),
    "get_time": (
        "The time in a zone.",
        {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]},
    ),
    "read_file": (
        "Reads a file.",
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    ),
}


def tools(case):
    """The tools of a case: all, or those that it names."""
    names = case.get("tools", list(SCHEMAS))
    return [(name, *SCHEMAS[name]) for name in names]


def functions(case):
    """The tools as Chat and Ollama have them."""
    return [
        {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
        for name, about, schema in tools(case)
    ]


def question(case):
    return case.get("question", QUESTION)


def events(text):
    """The events of a stream as (name, data), by the rules of server-sent events."""
    found = []
    name, data = None, []
    for line in text.replace("\r\n", "\n").split("\n"):
        if line == "":
            if data:
                found.append((name, "\n".join(data)))
            name, data = None, []
        elif line.startswith(":"):
            continue
        else:
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
    if data:
        found.append((name, "\n".join(data)))
    return found


def strictly(adapter, text, where, problems):
    """Checks JSON against a model of the SDK, without any leniency."""
    try:
        adapter.validate_json(text, strict=True)
    except ValidationError as error:
        # Of a union, the member that was missed by the least is the one that was meant.
        members = {}
        for fault in error.errors(include_url=False, include_input=False):
            members.setdefault(fault["loc"][:1], []).append(fault)
        meant = min(members.values(), key=len)
        told = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in meant[:3])
        problems.append(f"{where}: not valid for the SDK: {told}: {text[:300]}")


def call(name, raw, identity):
    """A call as a fact. Arguments that cannot be executed are null."""
    try:
        arguments = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        arguments = None
    return {"name": name, "arguments": arguments, "id": identity}


def failed(error, status, body, headers, in_stream):
    """An error as a fact."""
    return {
        "class": type(error).__name__,
        "status": status,
        "body": body,
        "retry_after": headers.get("retry-after") if headers is not None else None,
        "in_stream": in_stream,
        "message": str(error),
    }


def ids_differ(facts):
    ids = [call["id"] for call in facts["calls"]]
    if not all(isinstance(identity, str) and identity for identity in ids):
        facts["problems"].append(f"a call has no id: {ids}")
    if len(set(ids)) != len(ids):
        facts["problems"].append(f"two calls have one id: {ids}")
