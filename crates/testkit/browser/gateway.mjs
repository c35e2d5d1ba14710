// A gateway as programs see it: calls of tools, questions to models, and what it has written down.

const REVISION = "2026-07-28";

/** Waits until something is so, and gives what it is. */
export async function until(what, look, patience = 30_000) {
  const late = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > late) throw new Error(`${what} did not come to be`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

export class Gateway {
  /** `url` without a path, and a token of it. */
  constructor({ url, token }) {
    this.url = url;
    this.token = token;
  }

  async #post(path, headers, body) {
    const answer = await fetch(`${this.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return answer.text();
  }

  /** A request of a client of the modern era. Its message comes back whatever it says. */
  async ask(path, method, params, client = "test") {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": REVISION,
      "io.modelcontextprotocol/clientInfo": { name: client, version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": REVISION, "mcp-method": method };
    // What is no plain text is sent as the protocol has it.
    const isPlain = /^[!-~]([ -~]*[!-~])?$/.test(params.name ?? "x");
    const name = isPlain ? params.name : `=?base64?${Buffer.from(params.name).toString("base64")}?=`;
    if (params.name) headers["mcp-name"] = name;
    const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } };
    const text = await this.#post(path, headers, body);
    const last = text.split("\n").filter((line) => line.startsWith("data:")).at(-1);
    return JSON.parse(last ? last.slice(5) : text);
  }

  /** Calls a tool. Whether it went well, and the text of the answer. */
  async call(tool, given, { box = "default", client } = {}) {
    const message = await this.ask(`/mcp/t/${box}`, "tools/call", { name: tool, arguments: given }, client);
    const isGood = !message.error && !message.result.isError;
    return { isGood, text: message.error?.message ?? message.result.content[0]?.text ?? "" };
  }

  /** Asks a model. The answer as text, whatever it says. */
  model(name) {
    const body = { model: name, messages: [{ role: "user", content: "What is the weather?" }] };
    return this.#post("/v1/chat/completions", {}, body);
  }

  async look(path) {
    const answer = await fetch(`${this.url}${path}`, { headers: { authorization: `Bearer ${this.token}` } });
    return answer.json();
  }

  /** Waits until pages can find all that was called. */
  indexed() {
    return until("an index of all calls", async () => (await this.look("/api/health")).index?.behind === 0);
  }
}

/** The mistake of a model and its correction, which together teach a rule. */
export async function correctItself(gateway, words) {
  const send = (name) => gateway.call("send_note", { recipient: "anna", [name]: words });
  if ((await send("payload")).isGood) throw new Error("the mistake must fail");
  if (!(await send("prose")).isGood) throw new Error("the correction must be taken");
}

/** Calls that were good, mended and refused, of tools that work and that fail, and questions to a model. */
export async function fill(gateway, models) {
  await gateway.ask("/mcp/all", "tools/list", {});
  for (const words of ["buy milk", "feed the cat"]) await correctItself(gateway, words);
  await gateway.call("send_note", { recipient: "ben", prose: "water the plants", urgent: "true" });
  await gateway.call("lose_note", { id: "7" });
  await gateway.call("lose_note", { id: "eight" });
  await gateway.call("files__read_file", { file_path: "notes.md" }, { box: "builtin" });
  await gateway.call("files__list_directory", { path: "." }, { box: "builtin" });
  for (const model of models) await gateway.model(model);
  await gateway.indexed();
}
