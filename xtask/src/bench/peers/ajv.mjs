// Ajv's lane: validate; when that fails, coerce types and write the result anew.
import { readFileSync, writeFileSync } from "node:fs";
import Ajv from "ajv";

const order = JSON.parse(readFileSync(process.argv[2], "utf8"));
const schema = JSON.parse(readFileSync(order.schema, "utf8"));
const installed = JSON.parse(readFileSync(new URL("./node_modules/ajv/package.json", import.meta.url), "utf8"));

const options = { strict: false, allErrors: false, useDefaults: false, removeAdditional: false };
const accepts = new Ajv(options).compile(schema);
const coerces = new Ajv({ ...options, coerceTypes: true }).compile(schema);

/** The result text, or null for a refusal. */
function call(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (accepts(value)) return text;
  return coerces(value) ? JSON.stringify(value) : null;
}

const now = () => process.hrtime.bigint();
const percentile = (sorted, share) => sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)];
let kept = 0;

/** One timed run of `work`, in nanoseconds. */
function time(work) {
  const start = now();
  const result = work();
  const end = now();
  kept += result === null ? 1 : result.length;
  return Number(end - start);
}

/** What reading the clock twice costs: taken off every sample. */
function clockCost() {
  const samples = Array.from({ length: 20000 }, () => time(() => null)).sort((a, b) => a - b);
  return percentile(samples, 0.5);
}

function measure(text, clock) {
  const work = () => call(text);
  const warm = now() + BigInt(order.warm_up_ms) * 1000000n;
  do time(work);
  while (now() < warm);
  const samples = [];
  const start = now();
  const within = (milliseconds) => now() < start + BigInt(milliseconds) * 1000000n;
  do samples.push(Math.max(time(work) - clock, 0));
  while (
    (samples.length < order.min_samples && within(order.limit_ms)) ||
    (samples.length < order.max_samples && within(order.measure_ms))
  );
  samples.sort((a, b) => a - b);
  return { p50_ns: percentile(samples, 0.5), p99_ns: percentile(samples, 0.99) };
}

const clock = clockCost();
const rows = order.rows.map((row) => {
  const text = readFileSync(row.input, "utf8");
  const result = call(text);
  if (result !== null) writeFileSync(row.output, result);
  return { id: row.id, ...measure(text, clock) };
});
process.stdout.write(JSON.stringify({ version: installed.version, rows, kept }) + "\n");
