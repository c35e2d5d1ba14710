// The mock Z-Wave network and its MQTT bridge, for tests: `node main.mjs ORDER`, where the order is JSON.
//
// It says {"ready":true} on standard output, then answers one line of JSON for each that it reads, and ends with its
// standard input: whoever started it takes it along, however it ends.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

import { startBridge } from "./bridge.mjs";
import { devices } from "./devices.mjs";
import { startNetwork } from "./network.mjs";

const order = JSON.parse(process.argv[2]);
// The packages are under the target folder, not beside this file.
const require = createRequire(`${order.modules}/`);

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit(0));

const network = await startNetwork({ require, devices, cacheDir: order.cache });
const open = () => startBridge({ require, network, devices, url: order.broker, prefix: order.prefix, gateway: order.gateway });
let bridge = open();

const moves = {
  state: ({ node }) => network.state(node),
  press: ({ node, value }) => network.press(node, value),
  measure: ({ node, type, value }) => network.measure(node, type, value),
  mute: ({ node }) => network.mute(node),
  silence: ({ node }) => network.silence(node),
  leave: () => bridge.stop(),
  comeBack: () => void (bridge = open()),
};

lines.on("line", async (line) => {
  const { id, move, ...about } = JSON.parse(line);
  try {
    say({ id, value: (await moves[move](about)) ?? null });
  } catch (error) {
    say({ id, error: error.message });
  }
});
say({ ready: true });
