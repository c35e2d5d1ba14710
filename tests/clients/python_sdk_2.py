"""A client on the second line of the Python SDK: it speaks the era that it is told."""

import json
import sys

import anyio
from mcp import StdioServerParameters, types
from mcp.client import Client

PATIENCE = 20
STEPS = (
    "list",
    "call",
    "mended",
    "fails",
    "unknown",
    "progress",
    "elicitation",
    "sampling",
    "roots",
    "cancel",
    "changed",
    "resource",
    "prompt",
    "missing",
)


def say(server, step, got):
    print(json.dumps({"server": server, "step": step, "got": got}), flush=True)


def text(result):
    return result.content[0].text if result.content else ""


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"firstName": "Ada"})


async def sample(context, params):
    answer = types.TextContent(type="text", text="short")
    return types.CreateMessageResult(role="assistant", content=answer, model="test")


async def roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///a"), types.Root(uri="file:///b")])


def place(address):
    """An address of HTTP, or the words of a program as a list in JSON."""
    if address.startswith("http"):
        return address
    command, *args = json.loads(address)
    return StdioServerParameters(command=command, args=args)


class Desk:
    """One connection, and what it has heard."""

    def __init__(self, era, name, url):
        self.era, self.name, self.url = era, name, url
        self.heard_change = anyio.Event()

    async def hear(self, message):
        if isinstance(message, types.ToolListChangedNotification):
            self.heard_change.set()

    async def attempt(self, step, action):
        try:
            with anyio.fail_after(PATIENCE):
                say(self.name, step, await action())
        except Exception as error:
            say(self.name, step, {"error": f"{type(error).__name__}: {error}"})

    async def run(self):
        client = Client(
            place(self.url),
            mode="legacy" if self.era == "legacy" else "auto",
            sampling_callback=sample,
            elicitation_callback=elicit,
            list_roots_callback=roots,
            message_handler=self.hear,
            cache=None,
        )
        async with client as self.client:
            say(self.name, "era", "legacy" if client.protocol_version < "2026" else "modern")
            for step in STEPS:
                await self.attempt(step, getattr(self, step))

    async def list(self):
        return sorted(tool.name for tool in (await self.client.list_tools()).tools)

    async def call(self):
        room = {"roomName": "hall", "size": {"widthCm": 400, "lengthCm": 250}, "labels": ["a", "b"]}
        return (await self.client.call_tool("measureRoom", room)).structured_content

    async def mended(self):
        room = {"room_name": "hall", "size": json.dumps({"widthCm": "400", "lengthCm": 250})}
        return (await self.client.call_tool("measureRoom", room)).structured_content

    async def fails(self):
        result = await self.client.call_tool("fail", {"reason": "the tape tore"})
        return [result.is_error, text(result).endswith("the tape tore")]

    async def unknown(self):
        try:
            return "refused" if (await self.client.call_tool("nothing_like_it", {})).is_error else "answered"
        except Exception:
            return "refused"

    async def progress(self):
        heard = []

        async def hear(progress, total, message):
            heard.append(message)

        result = await self.client.call_tool("count_steps", {"steps": 3}, progress_callback=hear)
        return [text(result), heard]

    async def elicitation(self):
        return text(await self.client.call_tool("greet", {"greeting": "hi"}))

    async def sampling(self):
        return text(await self.client.call_tool("summarize", {"text": "long"}))

    async def roots(self):
        return text(await self.client.call_tool("name_roots", {}))

    async def count_cancelled(self):
        return int(text(await self.client.call_tool("count_cancelled", {})).split()[0])

    async def cancel(self):
        before = await self.count_cancelled()
        waiting = anyio.Event()

        async def hear(progress, total, message):
            waiting.set()

        async def wait():
            await self.client.call_tool("wait_long", {}, progress_callback=hear)

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await waiting.wait()
            group.cancel_scope.cancel()
        while (after := await self.count_cancelled()) == before:
            await anyio.sleep(0.05)
        return after - before

    async def changed(self):
        if self.era == "legacy":
            # What was heard before says nothing of this change.
            await anyio.sleep(0.3)
            self.heard_change = anyio.Event()
            await self.client.call_tool("announce_change", {})
            await self.heard_change.wait()
            return True
        async with self.client.listen(tools_list_changed=True) as changes:
            with anyio.move_on_after(0.3):
                async for _ in changes:
                    return "nothing has changed yet"
            await self.client.call_tool("announce_change", {})
            async for _ in changes:
                return True

    async def resource(self):
        return (await self.client.read_resource("memo://welcome")).contents[0].text

    async def prompt(self):
        prompt = await self.client.get_prompt("review", {"language": "Rust"})
        return prompt.messages[0].content.text

    async def missing(self):
        try:
            await self.client.read_resource("memo://nowhere/at/all")
            return "answered"
        except Exception:
            return "refused"


async def main():
    era, *pairs = sys.argv[1:]
    for name, url in zip(pairs[::2], pairs[1::2]):
        try:
            await Desk(era, name, url).run()
        except BaseException as error:
            say(name, "connection", {"error": f"{type(error).__name__}: {error}"})


anyio.run(main)
