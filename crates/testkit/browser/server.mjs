// An MCP server over stdio that is what its one argument says, as JSON: `name`, `tools`, `fails` (texts of errors by tool),
// `says` (on stderr) and `noise` (on stdout, where only messages belong). What it is called with it gives back, with its process.

import { createInterface } from "node:readline";

const { name, tools, fails = {}, says, noise } = JSON.parse(process.argv[2]);
if (says) process.stderr.write(`${says}\n`);
if (noise) process.stdout.write(`${noise}\n`);

const text = (words, isError) => ({ content: [{ type: "text", text: words }], isError });

const answers = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name, version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name: tool, arguments: given }) =>
    tool in fails ? text(fails[tool], true) : text(JSON.stringify({ process: process.pid, given }), false),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
}
