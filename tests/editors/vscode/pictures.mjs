// Pictures of the workbench for the documentation, each in a profile and a folder that nothing else has touched.
// Usage: node pictures.mjs <extension.vsix> <folder with samples> <interpreter> <folder for the pictures>
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { choose, command, goTo, openFile } from "./keys.mjs";
import { withWorkbench } from "./workbench.mjs";

const [extension, samples, interpreter, shots] = process.argv.slice(2).map((p) => resolve(p));

/** Waits until nothing moves any more: late decorations, scroll bars and the cursor's own blink aside. */
async function still(page) {
  await page.mouse.move(0, 0);
  let last = "";
  for (let same = 0; same < 4; ) {
    await page.waitForTimeout(500);
    const now = await page.locator(".monaco-workbench").innerText();
    same = now === last ? same + 1 : 0;
    last = now;
  }
}

const pictures = {
  async diagnostic(page) {
    await openFile(page, "wrong_column_peak.py");
    await page.locator(".squiggly-error").first().waitFor({ timeout: 60000 });
    await command(page, "Problems: Focus on Problems View");
    await page.locator(".markers-panel", { hasText: "aiv-reduce-split-axis" }).waitFor({ timeout: 60000 });
    await page.keyboard.press("Control+1");
    await goTo(page, 16, 1);
    await page.keyboard.press("F8");
    await page.locator(".marker-widget", { hasText: "partial result" }).waitFor({ timeout: 60000 });
  },
  async hover(page) {
    await openFile(page, "scaled_product.py");
    await page.locator(".codelens-decoration", { hasText: "split UP_DOWN" }).waitFor({ timeout: 60000 });
    await command(page, "View: Close Primary Side Bar");
    await goTo(page, 24, 12);
    await command(page, "Show or Focus Hover");
    await page.locator(".monaco-hover-content", { hasText: "per lane" }).first().waitFor({ timeout: 60000 });
  },
  async lowered(page) {
    await openFile(page, "scaled_product.py");
    await page.locator(".codelens-decoration", { hasText: "split UP_DOWN" }).waitFor({ timeout: 60000 });
    await command(page, "View: Close Primary Side Bar");
    await command(page, "PyPTO: Pick the Pass of the Lowered IR");
    await choose(page, "Show the IR after this pass", "LowerAutoVectorSplit");
    await page.locator(".view-line", { hasText: "aiv_shard" }).first().waitFor({ timeout: 60000 });
    await goTo(page, 24, 10);
    await page.locator(".cdr[class*='TextEditorDecorationType']").first().waitFor({ timeout: 60000 });
  },
};

mkdirSync(shots, { recursive: true });
for (const [name, stage] of Object.entries(pictures)) {
  await withWorkbench({ samples, extensions: [extension], interpreter, viewport: { width: 1400, height: 760 } }, async ({ page }) => {
    await stage(page);
    await still(page);
    await page.screenshot({ path: join(shots, `${name}.png`) });
    console.log(join(shots, `${name}.png`));
  });
}
