"""A client on the first line of the Python SDK: it speaks the legacy era only."""

import json
import sys
from contextlib import AsyncExitStack

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

PATIENCE = 20


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


def connect(address):
    """An address of HTTP, or the words of a program as a list in JSON."""
    if address.startswith("http"):
        return streamablehttp_client(address)
    command, *args = json.loads(address)
    return stdio_client(StdioServerParameters(command=command, args=args))


class Desk:
    """One connection, and what it has heard."""

    def __init__(self, name, url):
        self.name, self.url = name, url
        self.heard_change = anyio.Event()

    async def hear(self, message):
        if isinstance(message, types.ServerNotification) and isinstance(
            message.root, types.ToolListChangedNotification
        ):
            self.heard_change.set()

    async def attempt(self, step, action):
        try:
            with anyio.fail_after(PATIENCE):
                say(self.name, step, await action())
        except Exception as error:
            say(self.name, step, {"error": f"{type(error).__name__}: {error}"})

    async def run(self):
        async with AsyncExitStack() as stack:
            read, write, *_ = await stack.enter_async_context(connect(self.url))
            session = ClientSession(
                read,
                write,
                sampling_callback=sample,
                elicitation_callback=elicit,
                list_roots_callback=roots,
                message_handler=self.hear,
            )
            self.session = await stack.enter_async_context(session)
            about = await self.session.initialize()
            say(self.name, "era", "legacy" if about.protocolVersion < "2026" else "modern")
            for step in ("list", "call", "mended", "fails", "unknown", "progress", "elicitation", "sampling"):
                await self.attempt(step, getattr(self, step))
            for step in ("roots", "cancel", "changed", "resource", "prompt", "missing"):
                await self.attempt(step, getattr(self, step))

    async def call_tool(self, name, arguments=None, **more):
        return await self.session.call_tool(name, arguments or {}, **more)

    async def list(self):
        return sorted(tool.name for tool in (await self.session.list_tools()).tools)

    async def call(self):
        room = {"roomName": "hall", "size": {"widthCm": 400, "lengthCm": 250}, "labels": ["a", "b"]}
        return (await self.call_tool("measureRoom", room)).structuredContent

    async def mended(self):
        room = {"room_name": "hall", "size": json.dumps({"widthCm": "400", "lengthCm": 250})}
        return (await self.call_tool("measureRoom", room)).structuredContent

    async def fails(self):
        result = await self.call_tool("fail", {"reason": "the tape tore"})
        return [result.isError, text(result).endswith("the tape tore")]

    async def unknown(self):
        try:
            return "refused" if (await self.call_tool("nothing_like_it")).isError else "answered"
        except Exception:
            return "refused"

    async def progress(self):
        heard = []

        async def hear(progress, total, message):
            heard.append(message)

        result = await self.call_tool("count_steps", {"steps": 3}, progress_callback=hear)
        return [text(result), heard]

    async def elicitation(self):
        return text(await self.call_tool("greet", {"greeting": "hi"}))

    async def sampling(self):
        return text(await self.call_tool("summarize", {"text": "long"}))

    async def roots(self):
        return text(await self.call_tool("name_roots"))

    async def cancel(self):
        before = text(await self.call_tool("count_cancelled"))
        waiting = anyio.Event()

        async def hear(progress, total, message):
            waiting.set()

        # This line of the SDK does not say by itself that it gave up.
        request_id = self.session._request_id
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: self.call_tool("wait_long", progress_callback=hear))
            await waiting.wait()
            params = types.CancelledNotificationParams(requestId=request_id, reason="enough")
            told = types.CancelledNotification(method="notifications/cancelled", params=params)
            await self.session.send_notification(types.ClientNotification(told))
            group.cancel_scope.cancel()
        while (after := text(await self.call_tool("count_cancelled"))) == before:
            await anyio.sleep(0.05)
        return int(after.split()[0]) - int(before.split()[0])

    async def changed(self):
        # What was heard before says nothing of this change.
        await anyio.sleep(0.3)
        self.heard_change = anyio.Event()
        await self.call_tool("announce_change")
        await self.heard_change.wait()
        return True

    async def resource(self):
        return (await self.session.read_resource("memo://welcome")).contents[0].text

    async def prompt(self):
        prompt = await self.session.get_prompt("review", {"language": "Rust"})
        return prompt.messages[0].content.text

    async def missing(self):
        try:
            await self.session.read_resource("memo://nowhere/at/all")
            return "answered"
        except Exception:
            return "refused"


async def main():
    pairs = sys.argv[2:]
    for name, url in zip(pairs[::2], pairs[1::2]):
        try:
            await Desk(name, url).run()
        except BaseException as error:
            say(name, "connection", {"error": f"{type(error).__name__}: {error}"})


anyio.run(main)
