// The TypeScript SDK as a client, of either line: `node typescript.mjs FOLDER LINE ERA NAME ADDRESS…`, where FOLDER holds
// the installed packages, LINE is 1 (legacy only) or 2, and an address is one of HTTP, or the words of a program as a
// list in JSON.
import { createRequire } from "node:module";

const [folder, line, era, ...pairs] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const PATIENCE = 20_000;

/** What the two lines of the SDK call differently. */
const sdk = line === "1" ? firstLine() : secondLine();

function firstLine() {
  const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
  const types = require("@modelcontextprotocol/sdk/types.js");
  return {
    Client,
    StreamableHTTPClientTransport,
    StdioClientTransport,
    options: {},
    answer(client, method, handler) {
      const schema = {
        "elicitation/create": types.ElicitRequestSchema,
        "sampling/createMessage": types.CreateMessageRequestSchema,
        "roots/list": types.ListRootsRequestSchema,
      }[method];
      client.setRequestHandler(schema, handler);
    },
    hearChange: (client, hear) => client.setNotificationHandler(types.ToolListChangedNotificationSchema, hear),
    call: (client, params, options) => client.callTool(params, undefined, options),
    // Its transport over stdio does not know; it speaks no other era.
    version: (client) => client.transport.protocolVersion ?? "2025-11-25",
  };
}

function secondLine() {
  const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
  const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
  return {
    Client,
    StreamableHTTPClientTransport,
    StdioClientTransport,
    options: { versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } } },
    answer: (client, method, handler) => client.setRequestHandler(method, handler),
    hearChange: (client, hear) => client.setNotificationHandler("notifications/tools/list_changed", hear),
    call: (client, params, options) => client.callTool(params, options),
    version: (client) => client.getNegotiatedProtocolVersion(),
  };
}

const say = (server, step, got) => console.log(JSON.stringify({ server, step, got }));
const text = (result) => result.content?.[0]?.text ?? "";
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function within(promise) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error("no answer in time")), PATIENCE);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function way(address) {
  if (address.startsWith("http")) return new sdk.StreamableHTTPClientTransport(new URL(address));
  const [command, ...args] = JSON.parse(address);
  return new sdk.StdioClientTransport({ command, args });
}

async function run(name, url) {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new sdk.Client({ name: "typescript", version: "1" }, { capabilities, ...sdk.options });
  sdk.answer(client, "elicitation/create", () => ({ action: "accept", content: { firstName: "Ada" } }));
  sdk.answer(client, "sampling/createMessage", () => ({
    role: "assistant",
    content: { type: "text", text: "short" },
    model: "test",
  }));
  sdk.answer(client, "roots/list", () => ({ roots: [{ uri: "file:///a" }, { uri: "file:///b" }] }));
  let heardChange = () => {};
  sdk.hearChange(client, () => heardChange(true));
  await within(client.connect(way(url)));
  say(name, "era", sdk.version(client) < "2026" ? "legacy" : "modern");

  const call = (tool, args = {}, options) => sdk.call(client, { name: tool, arguments: args }, options);
  const cancelled = async () => Number.parseInt(text(await call("count_cancelled")), 10);
  const steps = {
    list: async () => (await client.listTools()).tools.map((tool) => tool.name).sort(),
    call: async () => {
      const room = { roomName: "hall", size: { widthCm: 400, lengthCm: 250 }, labels: ["a", "b"] };
      return (await call("measureRoom", room)).structuredContent;
    },
    mended: async () => {
      const size = JSON.stringify({ widthCm: "400", lengthCm: 250 });
      return (await call("measureRoom", { room_name: "hall", size })).structuredContent;
    },
    fails: async () => {
      const result = await call("fail", { reason: "the tape tore" });
      return [result.isError, text(result).endsWith("the tape tore")];
    },
    unknown: () => call("nothing_like_it").then((result) => (result.isError ? "refused" : "answered"), () => "refused"),
    progress: async () => {
      const heard = [];
      const result = await call("count_steps", { steps: 3 }, { onprogress: ({ message }) => heard.push(message) });
      return [text(result), heard];
    },
    elicitation: async () => text(await call("greet", { greeting: "hi" })),
    sampling: async () => text(await call("summarize", { text: "long" })),
    roots: async () => text(await call("name_roots")),
    cancel: async () => {
      const before = await cancelled();
      const enough = new AbortController();
      const options = { signal: enough.signal, onprogress: () => enough.abort("enough") };
      await call("wait_long", {}, options).catch(() => {});
      let after = before;
      while (after === before) {
        await sleep(50);
        after = await cancelled();
      }
      return after - before;
    },
    changed: async () => {
      const listening = era === "modern" ? await client.listen({ toolsListChanged: true }) : undefined;
      // What is heard before says nothing of this change.
      await sleep(300);
      const change = new Promise((done) => (heardChange = done));
      await call("announce_change");
      const heard = await change;
      await listening?.close();
      return heard;
    },
    resource: async () => (await client.readResource({ uri: "memo://welcome" })).contents[0].text,
    prompt: async () => {
      const prompt = await client.getPrompt({ name: "review", arguments: { language: "Rust" } });
      return prompt.messages[0].content.text;
    },
    missing: () => client.readResource({ uri: "memo://nowhere/at/all" }).then(() => "answered", () => "refused"),
  };
  for (const [step, attempt] of Object.entries(steps)) {
    try {
      say(name, step, (await within(attempt())) ?? null);
    } catch (error) {
      say(name, step, { error: String(error) });
    }
  }
  await client.close();
}

for (let at = 0; at < pairs.length; at += 2) {
  try {
    await run(pairs[at], pairs[at + 1]);
  } catch (error) {
    say(pairs[at], "connection", { error: String(error) });
  }
}
process.exit(0);
