// A browser without a window: somebody who is let in, and what the pages did that they should not have done.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { getuid } from "node:process";

export const THEMES = ["light", "dark"];

export class Browser {
  #program;
  #state;

  static async start({ modules, chromium, link, url }) {
    const require = createRequire(`${modules}/.`);
    const made = new Browser();
    const args = ["--disable-dev-shm-usage"];
    // Chromium has no sandbox for root.
    if (getuid() === 0) args.push("--no-sandbox");
    const playwright = require("playwright-core");
    made.#program = await playwright.chromium.launch({ executablePath: chromium, headless: true, args });
    made.axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    made.url = url;
    if (link) {
      const context = await made.#program.newContext();
      const page = await context.newPage();
      await page.goto(link);
      made.#state = await context.storageState();
      await context.close();
    }
    return made;
  }

  /** Everything that belongs to somebody who is inside. */
  context(options = {}) {
    return this.#program.newContext({ storageState: this.#state, viewport: { width: 1280, height: 900 }, ...options });
  }

  /** A page of such a person; `page.faults` fills with what went wrong on it. */
  async page(options = {}) {
    const context = await this.context(options);
    const page = await context.newPage();
    page.faults = [];
    await watch(page, this.url);
    return page;
  }

  /** The pages of the menu, as the menu has them. */
  async menu() {
    const page = await this.page();
    await page.goto(this.url);
    const links = await page.$$eval("nav a", (all) => all.map((link) => ({ path: link.getAttribute("href"), name: link.textContent.trim() })));
    await page.context().close();
    return links;
  }

  end() {
    return this.#program.close();
  }
}

/** Notes errors, breaches of the policy, requests to others, dialogs, and anything that ran though it came from outside. */
async function watch(page, url) {
  const note = (what) => page.faults.push(`${new URL(page.url()).pathname}: ${what}`);
  page.on("console", (message) => {
    if (message.type() === "error") note(`the console says: ${message.text()}`);
  });
  page.on("pageerror", (error) => note(`an error of a script: ${error.message}`));
  page.on("dialog", (dialog) => {
    note(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("popup", (popup) => note(`a window: ${popup.url()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`)) note(`a request to ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) note(`${response.status()} from ${response.url()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`breach of ${event.violatedDirective} by ${event.blockedURI}`));
  });
}

/** Presses what leads to another page, and waits until that is there. */
export async function follow(page, selector) {
  const loaded = page.waitForEvent("load");
  await page.click(selector);
  await loaded;
}

/** A name for files. */
export const nameOf = (path) => path.replaceAll("/", "-").replace(/^-/, "") || "overview";
