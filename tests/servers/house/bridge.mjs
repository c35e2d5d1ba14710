// The MQTT gateway of zwave-js-ui, as far as the tests need it: its topics in the named layout, its payloads with times, its
// status with a will, and three of its APIs, written after its source and its messages.

const COMMAND_CLASSES = { 37: "switch_binary", 38: "switch_multilevel", 49: "sensor_multilevel" };
const STATUSES = ["Unknown", "Asleep", "Awake", "Dead", "Alive"];

/** What a name becomes in a topic. */
const sanitised = (text) => text.replace(/\s/g, "_").replace(/[^A-Za-z0-9-_À-ÖØ-öø-ÿ/]/g, "");

/** Tells a broker about this network, and the network what the broker brings. */
export function startBridge({ require, network, devices, url, prefix, gateway }) {
  const mqtt = require("mqtt");
  const client = `${prefix}/_CLIENTS/ZWAVE_GATEWAY-${gateway}`;
  const { driver } = network;
  const lastUpdates = new Map();

  const connection = mqtt.connect(url, {
    clientId: `ZWAVE_GATEWAY-${gateway}-${process.pid}`,
    reconnectPeriod: 100,
    will: { topic: `${client}/status`, payload: JSON.stringify({ value: false }), qos: 1, retain: true },
  });
  // Devices still tell of themselves when the bridge has gone.
  let isOver = false;
  const publish = (topic, payload) => isOver || connection.publish(topic, JSON.stringify(payload), { qos: 1, retain: true });

  const described = (node) => devices.find((device) => device.id === node.id);
  const topicOf = (node) => {
    const { name, loc } = described(node);
    return [prefix, ...(loc ? [loc] : []), name || `nodeID_${node.id}`].map(sanitised).join("/");
  };
  const topicOfValue = (node, value) => {
    const parts = [COMMAND_CLASSES[value.commandClass], `endpoint_${value.endpoint ?? 0}`, String(value.propertyName ?? value.property).replace(/\//g, "-")];
    if (value.propertyKey !== undefined) parts.push(String(value.propertyKey));
    return [topicOf(node), ...parts.map(sanitised)].join("/");
  };
  const keyOf = (value) =>
    [value.commandClass, value.endpoint ?? 0, value.property, ...(value.propertyKey !== undefined ? [value.propertyKey] : [])].join("-");
  const nodes = () => [...driver.controller.nodes.values()];
  const own = () => nodes().filter((node) => described(node));

  function tellValue(node, value, current) {
    if (!COMMAND_CLASSES[value.commandClass]) return;
    publish(topicOfValue(node, value), { time: lastUpdates.get(`${node.id}-${keyOf(value)}`), value: current });
  }
  function tellStatus(node) {
    const status = STATUSES[node.status];
    publish(`${topicOf(node)}/status`, { time: Date.now(), value: status !== "Dead", status, nodeId: node.id });
    publish(`${topicOf(node)}/lastActive`, { time: Date.now(), value: node.lastSeen?.getTime() });
  }
  function tellEverything() {
    for (const node of own()) {
      tellStatus(node);
      for (const value of node.getDefinedValueIDs()) tellValue(node, value, node.getValue(value));
    }
    publish(`${client}/status`, { value: true, time: Date.now() });
    publish(`${client}/version`, { value: "11.22.2", time: Date.now() });
    publish(`${prefix}/driver/status`, true);
  }

  for (const node of own()) {
    for (const value of node.getDefinedValueIDs()) lastUpdates.set(`${node.id}-${keyOf(value)}`, Date.now());
    const changed = (_node, value) => {
      lastUpdates.set(`${node.id}-${keyOf(value)}`, Date.now());
      tellValue(node, value, value.newValue);
    };
    node.on("value updated", changed).on("value added", changed);
    for (const event of ["dead", "alive", "sleep", "wake up"]) node.on(event, () => tellStatus(node));
  }

  const apis = {
    getNodes: () =>
      nodes().map((node) => {
        if (node.id === driver.controller.ownNodeId) return { id: node.id, name: "", loc: "", isControllerNode: true, ready: true, available: true, values: {} };
        const values = node.getDefinedValueIDs().map((value) => {
          const { unit, type, readable, writeable } = node.getValueMetadata(value);
          return [
            keyOf(value),
            {
              ...value,
              id: `${node.id}-${keyOf(value)}`,
              nodeId: node.id,
              endpoint: value.endpoint ?? 0,
              type,
              readable,
              writeable,
              unit,
              value: node.getValue(value),
              lastUpdate: lastUpdates.get(`${node.id}-${keyOf(value)}`),
            },
          ];
        });
        const { name, loc } = described(node);
        const status = STATUSES[node.status];
        return {
          id: node.id,
          name,
          loc,
          ready: node.ready,
          available: status !== "Dead",
          failed: status === "Dead",
          status,
          isControllerNode: false,
          lastActive: node.lastSeen?.getTime(),
          values: Object.fromEntries(values),
        };
      }),
    setNodeName: (id, name) => {
      described(driver.controller.nodes.getOrThrow(id)).name = name;
      tellEverything();
      return true;
    },
    writeValue: async (value, wanted) => {
      const node = driver.controller.nodes.get(value.nodeId);
      const { commandClass, endpoint = 0, property, propertyKey } = value;
      // As the real one does: what goes wrong is a status.
      return await node.setValue({ commandClass, endpoint, property, propertyKey }, wanted).catch(() => ({ status: 2 }));
    },
  };

  async function answerApi(name, request) {
    const args = request?.args ?? [];
    let answer = { success: false, message: "Unknown API" };
    if (!Array.isArray(args)) {
      answer = { success: false, message: "Args must be an array" };
    } else if (Object.hasOwn(apis, name)) {
      try {
        answer = { success: true, message: "Success zwave api call", result: await apis[name](...args) };
      } catch (error) {
        answer = { success: false, message: error.message };
      }
    }
    connection.publish(`${client}/api/${name}`, JSON.stringify({ ...answer, args, origin: request }), { qos: 1 });
  }

  async function write(topic, request) {
    const wanted = request !== null && typeof request === "object" && "value" in request ? request.value : request;
    for (const node of own()) {
      for (const value of node.getDefinedValueIDs()) {
        if (COMMAND_CLASSES[value.commandClass] && topicOfValue(node, value) === topic) return await node.setValue(value, wanted);
      }
    }
  }

  connection.on("connect", () => {
    connection.subscribe(`${prefix}/#`, { qos: 1 });
    tellEverything();
  });
  connection.on("error", (error) => console.error("broker:", error.message));
  connection.on("message", (topic, payload, packet) => {
    if (!topic.endsWith("/set") || packet.retain) return;
    let request;
    try {
      request = JSON.parse(payload);
    } catch {
      request = String(payload);
    }
    const target = topic.slice(0, -"/set".length);
    const done = target.startsWith(`${client}/api/`) ? answerApi(target.slice(`${client}/api/`.length), request) : write(target, request);
    done.catch((error) => console.error(`${topic}: ${error.message}`));
  });

  return {
    /** As `docker stop` of the real one: it says that it goes. */
    async stop() {
      isOver = true;
      await connection.publishAsync(`${client}/status`, JSON.stringify({ value: false, time: Date.now() }), { qos: 1, retain: true });
      await connection.endAsync();
    },
  };
}
