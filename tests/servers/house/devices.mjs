// Who lives in the house: one of each kind that something once went wrong with.

export const devices = [
  { id: 2, name: "Switch One", loc: "", kind: "switch" },
  // Two of the same name: only the location tells them apart.
  { id: 3, name: "Lamp", loc: "Living Room", kind: "dimmer" },
  { id: 4, name: "Lamp", loc: "Bedroom", kind: "dimmer" },
  // Two lights: "light" is neither of them.
  { id: 5, name: "Hall Light", loc: "Hall", kind: "switch" },
  { id: 6, name: "Porch Light", loc: "Porch", kind: "switch" },
  { id: 7, name: "Porch Sensor", loc: "Porch", kind: "sensor" },
  // It is dead: nothing that is sent to it is acknowledged.
  { id: 8, name: "Old Heater", loc: "Cellar", kind: "switch", isDead: true },
  // Their topics are the same.
  { id: 9, name: "Fan 1", loc: "", kind: "switch" },
  { id: 10, name: "Fan_1", loc: "", kind: "switch" },
  // Nobody gave it a name.
  { id: 11, name: "", loc: "", kind: "switch" },
];
