// A rule that calls have taught: accepted on the page it is in force for the next call, undone it is not.

import { correctItself, until } from "./gateway.mjs";

export async function examine({ browser, gateway, report }) {
  const page = await browser.page();
  for (const words of ["buy milk", "feed the cat"]) await correctItself(gateway, words);
  const button = (name) => page.getByRole("button", { name, exact: true });
  await until("a suggestion", async () => {
    await page.goto(`${browser.url}/errors`);
    return button("Accept").count();
  });
  const mistake = async () => (await gateway.call("send_note", { recipient: "anna", payload: "water the plants" })).isGood;
  const press = async (name, next) => {
    await button(name).click();
    await button(next).waitFor({ timeout: 10_000 });
  };
  report.seen.before = await mistake();
  await press("Accept", "Undo");
  report.seen.accepted = await mistake();
  await page.goto(`${browser.url}/rules`);
  report.seen.rules = (await page.innerText("main")).includes("what calls taught");
  await page.goto(`${browser.url}/errors`);
  await press("Undo", "Accept");
  report.seen.undone = await mistake();
  report.faults.push(...page.faults);
}
