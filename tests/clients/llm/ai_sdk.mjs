// Asks one base address with the AI SDK, in three dialects, and tells what came as facts, as driver.py does:
// `ai_sdk.mjs NODE_MODULES`, with the same standard input and output. Everything is streamed.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.argv[2]}/.`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { jsonSchema, streamText, tool } = await load("ai");
const { createAnthropic } = await load("@ai-sdk/anthropic");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");

const order = JSON.parse(readFileSync(0, "utf8"));
const options = { baseURL: `${order.base}/v1`, apiKey: order.token };
const fronts = {
  anthropic: createAnthropic(options),
  chat: createOpenAICompatible({ ...options, name: "proxy", includeUsage: true }),
  responses: (model) => createOpenAI(options).responses(model),
};

const integer = { type: "integer" };
const string = { type: "string" };
const schemas = {
  get_weather: { properties: { city: string, days: integer }, required: ["city", "days"] },
  get_time: { properties: { zone: string }, required: ["zone"] },
  read_file: { properties: { path: string, lines: integer }, required: ["path"], additionalProperties: false },
};
const tools = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [
    name,
    tool({ description: name, inputSchema: jsonSchema({ type: "object", ...schema }) }),
  ]),
);

async function run(asked) {
  const facts = { ...asked, text: "", thinking: "", parts: [], calls: [], stop: null, usage: null, error: null, problems: [] };
  const said = (part) => {
    if (facts.parts.at(-1) !== part) facts.parts.push(part);
  };
  try {
    const stream = streamText({
      model: fronts[asked.front](asked.model),
      tools,
      prompt: "What is the weather in Zürich, and what time is it there?",
      maxRetries: 0,
      abortSignal: AbortSignal.timeout(60_000),
      onError: () => {},
    });
    for await (const part of stream.fullStream) {
      switch (part.type) {
        case "text-delta":
          facts.text += part.text;
          said("text");
          break;
        case "reasoning-delta":
          facts.thinking += part.text;
          if (part.text) said("thinking");
          break;
        case "tool-call":
          facts.calls.push({ name: part.toolName, arguments: part.input, id: part.toolCallId });
          facts.parts.push("call");
          if (part.invalid) facts.problems.push(`an invalid call: ${part.error}`);
          break;
        case "finish-step":
          facts.stop = part.finishReason;
          facts.usage = {
            input: part.usage.inputTokens,
            cached: part.usage.inputTokenDetails?.cacheReadTokens ?? part.usage.cachedInputTokens ?? 0,
            output: part.usage.outputTokens,
          };
          break;
        case "error": {
          const error = part.error;
          facts.error = {
            class: error?.name ?? typeof error,
            status: error?.statusCode ?? null,
            retry_after: error?.responseHeaders?.["retry-after"] ?? null,
            message: error?.message ?? JSON.stringify(error),
          };
          break;
        }
      }
    }
  } catch (error) {
    facts.problems.push(`${error?.name}: ${error?.message}`);
  }
  return JSON.stringify(facts);
}

for (const asked of order.cases) {
  console.log(await run(asked));
}
process.exit(0);
