// Pictures of the workbench for the documentation.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

async function pick(page, key, text) {
  const input = page.locator(".quick-input-widget input").first();
  // A key that arrives while the workbench moves its focus is lost.
  for (let attempt = 0; attempt < 6 && !(await input.isVisible()); attempt++) {
    await page.keyboard.press(key);
    await input.waitFor({ state: "visible", timeout: 10000 }).catch(() => undefined);
  }
  await page.keyboard.type(text, { delay: 10 });
  await page.waitForTimeout(1000);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(1500);
}

const openFile = (page, name) => pick(page, "Control+P", name);
const command = (page, title) => pick(page, "F1", title);
/** Puts the cursor at a place, counted from 1. */
const goTo = (page, line, column) => pick(page, "Control+G", `${line}:${column}`);

/** Saves `<folder>/<name>.png` for the names diagnostic, hover, lowered. */
export async function takePictures(page, folder) {
  mkdirSync(folder, { recursive: true });
  const shoot = (name) => page.screenshot({ path: join(folder, `${name}.png`) });
  await page.setViewportSize({ width: 1400, height: 760 });
  await command(page, "View: Close All Editors");
  await command(page, "Notifications: Clear All Notifications");

  await openFile(page, "wrong_column_peak.py");
  await page.waitForSelector(".squiggly-error", { timeout: 60000 });
  await command(page, "Problems: Focus on Problems View");
  await page.waitForTimeout(1000);
  await goTo(page, 16, 1);
  await page.keyboard.press("F8");
  await page.locator(".marker-widget", { hasText: "partial result" }).waitFor({ timeout: 60000 });
  await page.waitForTimeout(1000);
  await shoot("diagnostic");

  await page.keyboard.press("Escape");
  await command(page, "View: Close All Editors");
  await command(page, "View: Hide Panel");
  await openFile(page, "scaled_product.py");
  await page.waitForSelector(".codelens-decoration", { timeout: 60000 });
  await goTo(page, 24, 12);
  await command(page, "Show or Focus Hover");
  await page.locator(".monaco-hover-content", { hasText: "per lane" }).first().waitFor({ timeout: 60000 });
  await page.waitForTimeout(1500);
  await shoot("hover");

  await page.keyboard.press("Escape");
  await command(page, "View: Close Primary Side Bar");
  await command(page, "PyPTO: Show Lowered IR");
  await page.locator(".view-line", { hasText: "aiv_shard" }).first().waitFor({ timeout: 60000 });
  await command(page, "View: Focus First Editor Group");
  await goTo(page, 25, 10);
  await goTo(page, 24, 10);
  await page.waitForTimeout(2000);
  await shoot("lowered");
}
