// Tries one subject in a browser: `run.mjs SUBJECT`, with an order as one line of JSON on standard input; it prints a report as JSON.
// It ends when its standard input does, and the browser with it, so that nothing is left when whoever asked is gone.
// A report has `faults`, which must be empty, `seen`, which says what was looked at, and `figures`.

import { createInterface } from "node:readline";
import { Browser } from "./browser.mjs";
import { Gateway } from "./gateway.mjs";

const lines = createInterface({ input: process.stdin });
const order = await new Promise((done) => lines.once("line", (line) => done(JSON.parse(line))));
lines.once("close", () => process.exit(1));
const { examine } = await import(`./${process.argv[2]}.mjs`);
const browser = await Browser.start(order);
const report = { faults: [], seen: {}, figures: {} };
try {
  await examine({ browser, gateway: new Gateway(order), order, report });
} catch (error) {
  report.faults.push(error.stack);
} finally {
  await browser.end();
}
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
