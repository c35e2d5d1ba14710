"""A small server on the first line of the Python SDK: it speaks the legacy era only.

Its tools, resources and prompts are those of python_sdk_2.py and of the Rust program rmcp-server.
"""

import anyio
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.lowlevel import NotificationOptions
from mcp.server.session import ServerSession
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

server = FastMCP("python-sdk-1", instructions="Measure rooms with measureRoom.")
# This line of the SDK has no public way to say that its tools may change.
server._mcp_server.notification_options = NotificationOptions(tools_changed=True)

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
    raise ValueError(reason)


@server.tool()
async def count_steps(steps: int, context: Context[ServerSession, None]) -> str:
    """Says every step as progress and in the log."""
    for step in range(1, steps + 1):
        await context.report_progress(step, steps, f"step {step}")
        await context.info(f"step {step} of {steps}")
    return f"{steps} steps"


@server.tool()
async def greet(greeting: str, context: Context[ServerSession, None]) -> str:
    """Asks the user for a name and greets."""
    answer = await context.elicit("Who is to be greeted?", Name)
    return f"{greeting}, {answer.data.firstName}" if answer.action == "accept" else f"nobody to greet: {answer.action}"


@server.tool()
async def summarize(text: str, context: Context[ServerSession, None]) -> str:
    """Lets the client's model shorten a text."""
    question = SamplingMessage(role="user", content=TextContent(type="text", text=f"Shorten: {text}"))
    answer = await context.session.create_message([question], max_tokens=100)
    return answer.content.text if isinstance(answer.content, TextContent) else "no text"


@server.tool()
async def name_roots(context: Context[ServerSession, None]) -> str:
    """Names the client's roots."""
    answer = await context.session.list_roots()
    return " ".join(str(root.uri) for root in answer.roots)


@server.tool()
async def wait_long(context: Context[ServerSession, None]) -> str:
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
async def announce_change(context: Context[ServerSession, None]) -> str:
    """Says that the tools have changed."""
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
