// A page of somebody else in the browser of somebody who is inside: whatever it posts or fetches, nothing changes.

import { createServer } from "node:http";
import { once } from "node:events";
import { correctItself, until } from "./gateway.mjs";

/** What it tries, in its own page. `goals` are addresses with a body each. */
const attack = async (goals) => {
  const kinds = ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"];
  const sent = [];
  const frame = (name) => {
    const made = document.createElement("iframe");
    made.name = name;
    document.body.append(made);
    return new Promise((done) => {
      made.addEventListener("load", done);
      setTimeout(done, 2000);
    });
  };
  let number = 0;
  for (const { url, fields } of goals) {
    for (const kind of kinds) {
      const form = document.createElement("form");
      Object.assign(form, { method: "post", action: url, enctype: kind, target: `frame-${(number += 1)}` });
      // As text/plain it reads as JSON.
      const plain = [[`${JSON.stringify(fields).slice(0, -1)},"x":"`, '"}']];
      for (const [name, value] of kind === "text/plain" ? plain : Object.entries(fields)) {
        const field = document.createElement("input");
        Object.assign(field, { type: "hidden", name, value });
        form.append(field);
      }
      document.body.append(form);
      const loaded = frame(form.target);
      form.submit();
      sent.push(loaded);
    }
    const body = JSON.stringify(fields);
    for (const mode of ["no-cors", "cors"]) {
      for (const kind of ["text/plain", "application/json", "application/x-www-form-urlencoded"]) {
        const headers = { "content-type": kind, ...(mode === "cors" ? { "x-toolwright-page": "guess" } : {}) };
        sent.push(fetch(url, { method: "POST", mode, credentials: "include", headers, body }).catch(() => {}));
      }
      sent.push(fetch(url, { mode, credentials: "include" }).catch(() => {}));
    }
    navigator.sendBeacon(url, new Blob([body], { type: "text/plain" }));
    const picture = new Image();
    picture.src = url;
    sent.push(new Promise((done) => picture.addEventListener("error", done)));
  }
  await Promise.all(sent);
};

/** What it can read of the pages of somebody who is inside. */
const read = async (urls) => {
  const texts = urls.map((url) => fetch(url, { credentials: "include" }).then((answer) => answer.text(), () => ""));
  return (await Promise.all(texts)).map((text) => text.length);
};

export async function examine({ browser, gateway, order, report }) {
  const site = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<!doctype html><title>other</title><body>"));
  await once(site.listen(0, "127.0.0.1"), "listening");
  const context = await browser.context();
  const page = await context.newPage();
  try {
    for (const words of ["buy milk", "feed the cat"]) await correctItself(gateway, words);
    const suggestion = await until("a suggestion", async () => {
      await page.goto(`${browser.url}/errors`);
      const button = page.locator("[data-decide=accept]");
      return (await button.count()) && button.first().getAttribute("data-suggestion");
    });
    const server = async () => JSON.parse((await gateway.call("send_note", { recipient: "a", prose: "b" })).text).process;
    const state = async () => {
      const inside = await context.newPage();
      const answer = await inside.goto(`${browser.url}/errors`);
      const isInside = !answer.url().endsWith("/login");
      const decisions = await inside.$$eval("[data-decide]", (all) => all.map((it) => it.dataset.decide));
      await inside.close();
      return { isInside, decisions, server: await server(), cookies: await context.cookies(browser.url) };
    };
    const paths = [
      ["/do/restart", { server: "notes" }],
      ["/do/try", { tool: "", schema: "{}", arguments: "{}" }],
      ...["accept", "dismiss", "undo"].map((word) => [`/api/suggestions/${suggestion}/${word}`, {}]),
      // Nobody else knows the token; who did would still not get in from there.
      ["/login", { token: order.token }],
      ["/login", { token: "tw_of_somebody_else" }],
      ["/logout", {}],
    ];
    const statuses = {};
    context.on("response", (answer) => {
      const { origin, pathname } = new URL(answer.url());
      if (origin === browser.url) (statuses[pathname.replace(suggestion, "ID")] ??= []).push(answer.status());
    });
    const before = await state();
    report.seen.before = before.decisions;
    const compare = async (what) => {
      const after = await state();
      const changed = Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
      if (!changed.length) return;
      report.faults.push(`${what} changed: ${changed}`);
      await context.addCookies(before.cookies);
    };
    // One name makes it the same site with another port, the other another site.
    for (const host of ["127.0.0.1", "localhost"]) {
      const other = `http://${host}:${site.address().port}/`;
      for (const [path, fields] of paths) {
        await page.goto(other);
        await page.evaluate(attack, [{ url: browser.url + path, fields }]);
        await compare(`${path} from ${host}`);
      }
      const lengths = await page.evaluate(read, ["/", "/errors", "/api/operations"].map((path) => browser.url + path));
      if (lengths.some((length) => length > 200)) report.faults.push(`${host} reads ${lengths} letters`);
      await page.goto(other);
      await page.evaluate((url) => { location.href = url; }, `${browser.url}/logout`);
      await page.waitForURL((url) => url.origin === browser.url || url.protocol === "chrome-error:", { timeout: 5000 });
      await compare(`a link to /logout from ${host}`);
    }
    report.seen.statuses = Object.fromEntries(Object.entries(statuses).map(([path, all]) => [path, [...new Set(all)].sort()]));

    // The same from our own page: it would have been seen.
    await page.goto(`${browser.url}/servers`);
    const old = await server();
    await page.locator('[data-restart="notes"]').click();
    await until("another process", async () => (await server()) !== old);
    report.seen.restarted = true;
  } finally {
    site.close();
    site.closeAllConnections();
  }
}
