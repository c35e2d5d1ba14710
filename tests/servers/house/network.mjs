// A Z-Wave network without radio: zwave-js's own driver on a mock controller with mock nodes, in one process.
//
// `mock-server` of zwave-js would do the same over TCP, and would announce itself on the local network. Here the driver is
// given the mock port itself, so nothing listens anywhere, and no network of its own is needed around it.

/** The mock nodes keep what they are in here. */
const STATE = { switch: "BinarySwitch_currentValue", dimmer: "MultilevelSwitch_currentValue" };
/** What a sensor measures, by type of sensor: degrees Celsius and percent. */
const MEASURED = { 1: 21.5, 5: 48 };
/** How long a dimmer takes to report. */
const REPORT_MS = 20;

/** Starts a network with these devices and waits until the driver knows all of them. */
export async function startNetwork({ require, devices, cacheDir }) {
  const { createAndStartDriverWithMockPort, createDefaultMockControllerBehaviors, createDefaultMockNodeBehaviors } =
    require("zwave-js/Testing");
  const { MockController, MockNode } = require("@zwave-js/testing");

  const measured = new Map();
  const { driver, continueStartup, mockPort, serial } = await createAndStartDriverWithMockPort({
    storage: { cacheDir },
    logConfig: { enabled: false },
    // A bootloader is looked for on real sticks only.
    testingHooks: { skipFirmwareIdentification: true },
  });
  driver.on("error", (error) => console.error("driver:", error.message));

  const controller = await MockController.create({ homeId: 0x7e570001, ownNodeId: 1, mockPort, serial });
  controller.defineBehavior(...createDefaultMockControllerBehaviors());
  const mocks = new Map();
  for (const device of devices) {
    measured.set(device.id, { ...MEASURED });
    const capabilities = capabilitiesOf(require, device.kind, measured.get(device.id));
    const mock = await MockNode.create({ id: device.id, controller, capabilities });
    mock.defineBehavior(...createDefaultMockNodeBehaviors());
    if (device.kind === "dimmer") mock.defineBehavior(dimsAsRealOnesDo(require));
    controller.addNode(mock);
    mocks.set(device.id, mock);
  }

  const known = new Promise((resolve) => driver.once("all nodes ready", resolve));
  continueStartup();
  await known;
  for (const { id, isDead } of devices) {
    if (isDead) silence(id);
  }

  function silence(id) {
    mocks.get(id).autoAckControllerFrames = false;
    driver.controller.nodes.getOrThrow(id).markAsDead();
  }

  return {
    driver,
    /** What the device itself is, whatever driver, bridge and broker believe. */
    state(id) {
      const { kind } = devices.find((device) => device.id === id);
      if (kind === "sensor") return measured.get(id);
      return mocks.get(id).state.get(STATE[kind]) ?? (kind === "switch" ? false : 0);
    },
    /** Somebody presses the switch on the wall, and the device reports it. */
    async press(id, value) {
      const { kind } = devices.find((device) => device.id === id);
      mocks.get(id).state.set(STATE[kind], value);
      await driver.controller.nodes.getOrThrow(id).refreshCCValues(kind === "switch" ? 37 : 38);
    },
    /** The weather changes, and the sensor reports it. */
    async measure(id, type, value) {
      measured.get(id)[type] = value;
      await driver.controller.nodes.getOrThrow(id).refreshCCValues(49);
    },
    /** The device obeys and says nothing: neither what it does nor, when it is asked, what it is. */
    mute(id) {
      const isQuestion = (received) => /Get$/.test(received.constructor.name);
      mocks.get(id).state.set("mute", true);
      mocks.get(id).defineBehavior({ handleCC: (_controller, _self, received) => (isQuestion(received) ? { action: "stop" } : undefined) });
    },
    silence,
    stop: () => driver.destroy(),
  };
}

function capabilitiesOf(require, kind, measured) {
  const { CommandClasses: CC } = require("@zwave-js/core");
  const { ccCaps } = require("@zwave-js/testing");
  switch (kind) {
    case "switch":
      return {
        genericDeviceClass: 0x10,
        specificDeviceClass: 0x01,
        commandClasses: [CC.Version, ccCaps({ ccId: CC["Binary Switch"], isSupported: true, version: 2, defaultValue: false })],
      };
    case "dimmer":
      return {
        genericDeviceClass: 0x11,
        specificDeviceClass: 0x01,
        commandClasses: [CC.Version, ccCaps({ ccId: CC["Multilevel Switch"], isSupported: true, version: 4, defaultValue: 0 })],
      };
    case "sensor":
      return {
        genericDeviceClass: 0x21,
        specificDeviceClass: 0x01,
        commandClasses: [
          CC.Version,
          ccCaps({
            ccId: CC["Multilevel Sensor"],
            isSupported: true,
            version: 5,
            sensors: { 1: { supportedScales: [0] }, 5: { supportedScales: [0] } },
            getValue: (type) => measured[type],
          }),
        ],
      };
  }
  throw new Error(`there is no device of the kind ${kind}`);
}

/**
 * What real dimmers do and the mock ones do not: told 255 they go to the last level that was not nothing, and they report
 * where they have gone.
 */
function dimsAsRealOnesDo(require) {
  const { MultilevelSwitchCCReport, MultilevelSwitchCCSet } = require("zwave-js");
  const { createMockZWaveRequestFrame } = require("@zwave-js/testing");
  return {
    handleCC(controller, self, received) {
      if (!(received instanceof MultilevelSwitchCCSet)) return undefined;
      const last = self.state.get("last level") ?? 99;
      const level = received.targetValue === 255 ? last : received.targetValue;
      if (level > 0) self.state.set("last level", level);
      self.state.set(STATE.dimmer, level);
      if (!self.state.get("mute")) {
        const report = new MultilevelSwitchCCReport({ nodeId: controller.ownNodeId, currentValue: level, targetValue: level });
        setTimeout(() => void self.sendToController(createMockZWaveRequestFrame(report, { ackRequested: false })), REPORT_MS);
      }
      return { action: "ok" };
    },
  };
}
