// What a user does in the workbench, by keys. Each waits for what it needs before it presses anything: keys that come early are lost.
import { waitFor } from "./workbench.mjs";

// While it closes, the widget is still drawn but inert.
const WIDGET = ".quick-input-widget:not([inert])";
const ACTIVE = ".editor-group-container.active";
const FILES = "Search files by name";
const COMMANDS = "Type the name of a command to run";

const inputOf = (page, placeholder) => page.locator(`${WIDGET} input[placeholder^="${placeholder}"]`);

/** Opens the quick input that has this placeholder by a key, unless it is open. */
async function quickInput(page, key, placeholder) {
  const input = inputOf(page, placeholder);
  await waitFor(
    `the quick input after ${key}`,
    async () => {
      if (await input.isVisible()) return true;
      await page.keyboard.press(key);
      return input.waitFor({ state: "visible", timeout: 3000 }).then(() => true, () => false);
    },
    60000,
  );
  return input;
}

/** Types into an open quick input, takes the row whose label begins with `label`, and waits until that list is gone. */
async function take(page, input, text, label) {
  await input.fill(text);
  const row = page.locator(`${WIDGET} .monaco-list-row`, { has: page.locator(".monaco-icon-label", { hasText: label }) }).first();
  await row.click({ timeout: 20000 });
  await input.waitFor({ state: "hidden", timeout: 20000 });
}

/** Runs a command of the palette by its full title. */
export async function command(page, title) {
  await take(page, await quickInput(page, "F1", COMMANDS), `>${title}`, title);
}

/** Takes a row of the list that a command shows; the list is known by its placeholder. */
export async function choose(page, placeholder, label) {
  await take(page, inputOf(page, placeholder), label, label);
}

/** Labels and descriptions of the rows that the list with this placeholder shows first. */
export async function offered(page, placeholder) {
  await inputOf(page, placeholder).waitFor({ state: "visible", timeout: 20000 });
  await page.locator(`${WIDGET} .monaco-list-row`).first().waitFor({ state: "visible", timeout: 20000 });
  return page.locator(`${WIDGET} .monaco-list-row`).allInnerTexts();
}

/** Opens a file of the folder; it has the focus afterwards. */
export async function openFile(page, name) {
  await take(page, await quickInput(page, "Control+P", FILES), name, name);
  await page.locator(`${ACTIVE} .tab.active`, { hasText: name }).waitFor({ timeout: 20000 });
  await page.locator(`${ACTIVE} .monaco-editor.focused`).waitFor({ timeout: 20000 });
}

/** Puts the cursor of the active editor at a place, counted from 1. */
export async function goTo(page, line, column) {
  await page.locator(`${ACTIVE} .monaco-editor.focused`).waitFor({ timeout: 20000 });
  const input = await quickInput(page, "Control+P", FILES);
  await input.fill(`:${line}:${column}`);
  await page.locator(`${WIDGET} .monaco-list-row`, { hasText: `${line}` }).first().waitFor({ timeout: 20000 });
  await page.keyboard.press("Enter");
  await page.locator(WIDGET).waitFor({ state: "hidden", timeout: 20000 });
  await page.locator(".statusbar-item", { hasText: `Ln ${line}, Col ${column}` }).waitFor({ timeout: 20000 });
}

/** Closes all editors and what the last scenario left open. */
export async function clear(page) {
  await page.keyboard.press("Escape");
  await command(page, "View: Close All Editors");
  await page.locator(".tab").first().waitFor({ state: "detached", timeout: 20000 });
}
