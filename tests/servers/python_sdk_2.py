"""A small server on the second line of the Python SDK: it speaks both eras.

Its tools, resources and prompts are those of python_sdk_1.py and of the Rust program rmcp-server.
"""

from typing import Annotated

import anyio
from mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    Elicit,
    ElicitationResult,
    ListRoots,
    MCPServer,
    Resolve,
    Sample,
)
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("python-sdk-2", version="1", instructions="Measure rooms with measureRoom.")

cancelled_calls = 0


class Size(BaseModel):
    widthCm: float
    lengthCm: float
    isInside: bool = True


class Room(BaseModel):
    roomName: str
    squareMeters: float
    isInside: bool
    labelCount: int


class Name(BaseModel):
    firstName: str


@server.tool(name="measureRoom")
def measure_room(roomName: str, size: Size, labels: list[str] | None = None) -> Room:
    """How large a room is."""
    return Room(
        roomName=roomName,
        squareMeters=size.widthCm * size.lengthCm / 10_000,
        isInside=size.isInside,
        labelCount=len(labels or []),
    )


@server.tool()
def fail(reason: str) -> str:
    """Fails for the reason that it is given."""
    raise ToolError(reason)


@server.tool()
async def count_steps(steps: int, context: Context) -> str:
    """Says every step as progress and in the log."""
    for step in range(1, steps + 1):
        await context.report_progress(step, steps, f"step {step}")
        await context.info(f"step {step} of {steps}")
    return f"{steps} steps"


def ask_name() -> Elicit[Name]:
    return Elicit("Who is to be greeted?", Name)


@server.tool()
def greet(greeting: str, name: Annotated[ElicitationResult[Name], Resolve(ask_name)]) -> str:
    """Asks the user for a name and greets."""
    if isinstance(name, AcceptedElicitation):
        return f"{greeting}, {name.data.firstName}"
    return f"nobody to greet: {name.action}"


def ask_model(text: str) -> Sample:
    question = SamplingMessage(role="user", content=TextContent(type="text", text=f"Shorten: {text}"))
    return Sample([question], max_tokens=100)


@server.tool()
def summarize(text: str, answer: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    """Lets the client's model shorten a text."""
    return answer.content.text if isinstance(answer.content, TextContent) else "no text"


def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def name_roots(answer: Annotated[ListRootsResult, Resolve(ask_roots)]) -> str:
    """Names the client's roots."""
    return " ".join(str(root.uri) for root in answer.roots)


@server.tool()
async def wait_long(context: Context) -> str:
    """Waits until the call is cancelled."""
    global cancelled_calls
    try:
        await context.report_progress(1, 2, "waiting")
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        cancelled_calls += 1
        raise
    return "waited"


@server.tool()
def count_cancelled() -> str:
    """How many calls were cancelled."""
    return f"{cancelled_calls} cancelled"


@server.tool()
async def announce_change(context: Context) -> str:
    """Says that the tools have changed."""
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()
    return "announced"


@server.resource("memo://welcome")
def welcome() -> str:
    """A text that stays the same."""
    return "Welcome."


@server.resource("memo://notes/{title}")
def note(title: str) -> str:
    """A text for every title."""
    return f"The note {title}."


@server.prompt()
def review(language: str) -> str:
    """Asks for a review."""
    return f"Review this {language} program."


if __name__ == "__main__":
    server.run()
