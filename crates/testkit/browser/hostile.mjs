// Content that wants to be more than text, in every place where others can put some: on no page does any of it run.

import { until } from "./gateway.mjs";

/** The ways in which a text tries to become a part of a page, each made for the place that it comes from. */
const shapesOf = (templates) => templates.map((template) => (place) => template.replaceAll("{place}", place));

/** What ran, what stands there that should not, and which places are told as text. */
const traces = () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const element of document.querySelectorAll("*")) {
    for (const kind of ["mouseover", "mouseenter", "focus"]) element.dispatchEvent(new Event(kind));
  }
  const odd = [...document.querySelectorAll("*")].filter((it) => {
    const isHandler = [...it.attributes].some(({ name }) => name.startsWith("on") || name === "style");
    const isForeign = ["IMG", "IFRAME", "OBJECT", "EMBED", "BASE"].includes(it.tagName);
    const isScript = it.tagName === "SCRIPT" && !it.getAttribute("src")?.startsWith("/assets/");
    const leadsAway = ["href", "src", "action"].some((name) => it.hasAttribute(name) && !/^[/#](?!\/)/.test(it.getAttribute(name)));
    return isHandler || isForeign || isScript || leadsAway;
  });
  const fields = [...document.querySelectorAll("input, textarea")].map((it) => it.value);
  const text = [document.body.textContent, document.title, ...fields].join("\n");
  const places = [...text.matchAll(/window\.pwned=\\*"([a-z ]+)\\*"/g)].map((found) => found[1]);
  return { ran: window.pwned ?? null, odd: odd.map((it) => it.outerHTML.slice(0, 200)), places: [...new Set(places)] };
};

async function looked(page, path, report) {
  await page.waitForTimeout(50);
  const { ran, odd, places } = await page.evaluate(traces);
  if (ran) report.faults.push(`${path}: what came as ${ran} ran`);
  report.faults.push(...odd.slice(0, 3).map((what) => `${path} has ${what}`));
  const name = path.replace(/\?.*/, "").replace(/\/calls\/.*/, "a call");
  for (const place of places) report.seen[place] = [...new Set(report.seen[place]).add(name)];
}

/** Lets every shape come by every way. */
async function send(gateway, shapes, words) {
  for (const shape of shapes) {
    const client = shape("client");
    await gateway.call("send_note", { recipient: "anna", prose: shape("value") }, { client });
    await gateway.call("send_note", { [shape("key")]: shape("value"), recipient: "anna" }, { client });
    // Mended, so that it stands in a change.
    await gateway.call("send_note", { recipient: 7, prose: [shape("value")], urgent: "true", "<b>": shape("value") }, { client });
    await gateway.call("lose_note", { id: 1 }, { client });
    await gateway.call(shape("unknown tool"), {}, { client });
    for (const word of [shape("mistake"), "prose"]) {
      for (const text of ["one", "two"]) await gateway.call("send_note", { recipient: "anna", [word]: text });
    }
    await gateway.model(shape("model"));
  }
  // Words that only rules with such names understand.
  for (const word of words) await gateway.call("send_note", { recipient: "anna", [word]: "x" });
  // Models know the tools by names that are made of theirs; pages show theirs. Last, so that they are on the first page.
  const { result } = await gateway.ask("/mcp/t/default", "tools/list", {});
  const names = result.tools.map((tool) => tool.name).filter((name) => name.includes("pwned"));
  for (const name of names) await gateway.call(name, { [shapes[0]("key")]: shapes[1]("value") });
}

export async function examine({ browser, gateway, order, report }) {
  const shapes = shapesOf(order.shapes);
  const page = await browser.page();
  await page.goto(`${browser.url}/live`);
  await until("a connection", async () => (await page.innerText("#live-state")).includes("appear"));
  await send(gateway, shapes, order.words);
  await gateway.indexed();
  await until("rows", async () => (await page.locator("#feed li").count()) > 10);
  await looked(page, "/live", report);

  await page.goto(`${browser.url}/calls`);
  const calls = await page.$$eval("table.rows a", (all) => all.map((link) => link.getAttribute("href")));
  const paths = (await browser.menu()).map((link) => link.path).concat(calls);
  for (const shape of shapes) {
    const words = encodeURIComponent(shape("address"));
    for (const name of ["q", "tool", "server", "client", "rule", "outcome", "after"]) paths.push(`/calls?${name}=${words}`);
    for (const name of ["tool", "schema", "arguments"]) paths.push(`/playground?${name}=${words}`);
    paths.push(`/calls/${words}`, `/login?once=${words}`);
  }
  // Addresses that the pages themselves make of what came.
  for (const path of ["/rules", "/normalizer", ...calls.slice(0, 3)]) {
    await page.goto(browser.url + path);
    paths.push(...await page.$$eval('main a[href*="pwned"]', (all) => all.map((link) => link.getAttribute("href"))));
  }
  report.figures.pages = new Set(paths).size;
  for (const path of new Set(paths)) {
    await page.goto(browser.url + path);
    await looked(page, path, report);
  }

  // The answers of the playground, while one types.
  await page.goto(`${browser.url}/playground`);
  for (const shape of shapes) {
    const schema = { type: "object", properties: { [shape("schema")]: { type: "integer", description: shape("schema") } }, required: [shape("schema")] };
    const answered = page.waitForResponse((answer) => answer.url().endsWith("/do/try"));
    await page.fill("#schema", JSON.stringify(schema));
    await answered;
    await page.fill("#arguments", JSON.stringify({ [shape("argument")]: shape("argument") }));
    await looked(page, "/playground, typed", report);
  }
  // Pages that say that there is nothing are answered so on purpose.
  report.faults.push(...page.faults.filter((fault) => !/Failed to load resource: .* status of 4../.test(fault)));
}
