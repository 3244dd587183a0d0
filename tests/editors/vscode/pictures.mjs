// Pictures of the workbench for the documentation.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

async function pick(page, key, text) {
  await page.keyboard.press(key);
  await page.waitForSelector(".quick-input-widget input");
  await page.keyboard.type(text, { delay: 10 });
  await page.waitForTimeout(700);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(1500);
}

const openFile = (page, name) => pick(page, "Control+P", name);
const command = (page, title) => pick(page, "F1", title);

/** The name that a line binds, where the line looks like `line`. */
const word = (page, line, name) => page.locator(".view-line", { hasText: line }).locator("span span", { hasText: name }).first();

export async function takePictures(page, folder) {
  mkdirSync(folder, { recursive: true });
  const shoot = (name) => page.screenshot({ path: join(folder, `${name}.png`) });
  await command(page, "View: Close All Editors");
  await command(page, "Notifications: Clear All Notifications");

  await openFile(page, "wrong_column_peak.py");
  await page.waitForSelector(".squiggly-error", { timeout: 60000 });
  await command(page, "Problems: Focus on Problems View");
  await page.waitForTimeout(1500);
  await shoot("diagnostic");

  await command(page, "View: Close All Editors");
  await command(page, "View: Hide Panel");
  await openFile(page, "scaled_product.py");
  await page.waitForSelector(".codelens-decoration", { timeout: 60000 });
  await word(page, /^\s*scaled.*pl\.mul/, "scaled").hover();
  await page.locator(".monaco-hover-content", { hasText: "per lane" }).first().waitFor({ timeout: 60000 });
  await page.waitForTimeout(1500);
  await shoot("hover");

  await page.mouse.move(5, 5);
  await command(page, "View: Close Primary Side Bar");
  await command(page, "PyPTO: Show Lowered IR");
  await page.waitForTimeout(4000);
  await word(page, /^\s*scaled.*pl\.mul/, "scaled").click();
  await page.waitForTimeout(1500);
  await shoot("lowered");
}
