// What a user does with lowered IR, by keys in the real workbench: pick a pass, see what a pass did, follow the cursor both ways.
import { equal, match, ok } from "node:assert/strict";
import { choose, clear, command, goTo, offered, openFile } from "./keys.mjs";
import { waitFor } from "./workbench.mjs";

const SAMPLE = "scaled_product.py";
const SCALED = 24; // scaled = pl.mul(local, 0.125)
const PICK = "Show the IR after this pass";
const MAKES = /^scaled.* = pl\.mul\(local, 0\.125\)$/;

/** Text of an editor as it is drawn: lines of the view port, with plain blanks. */
async function drawn(editor) {
  const lines = await editor.locator(".view-line").evaluateAll((nodes) =>
    nodes.map((n) => ({ top: parseFloat(n.style.top), text: n.textContent.replaceAll("\u00a0", " ") })),
  );
  return lines.sort((a, b) => a.top - b.top);
}

const textOf = async (editor) => (await drawn(editor)).map((l) => l.text).join("\n");

/** Lines of an editor that carry the mark of the link between source and lowered text. */
async function marked(editor) {
  const tops = await editor.locator(".view-overlays > div:has(.cdr[class*='TextEditorDecorationType'])").evaluateAll((nodes) => nodes.map((n) => parseFloat(n.style.top)));
  return (await drawn(editor)).filter((l) => tops.includes(l.top)).map((l) => l.text.trim());
}

/** The editor of the group whose tab in front has this label. */
const editorOf = (page, label) =>
  page.locator(".editor-group-container", { has: page.locator(".tab.active", { hasText: label }) }).locator(".editor-container .monaco-editor").first();

const shows = (page, label, part) => waitFor(`${part} in ${label}`, async () => part.test(await textOf(editorOf(page, label))), 30000);
const marks = (page, label, what, test) =>
  waitFor(
    `${what}, marked in ${label}`,
    async () => {
      const lines = await marked(editorOf(page, label));
      return test(lines) && (lines.length ? lines : ["nothing"]);
    },
    30000,
  );

/** The sample, with its lowered text beside it and the focus in the source. */
async function beside(page) {
  await openFile(page, SAMPLE);
  await page.locator(".codelens-decoration", { hasText: "split UP_DOWN" }).waitFor({ timeout: 60000 });
  await command(page, "PyPTO: Pick the Pass of the Lowered IR");
  await choose(page, PICK, "LowerAutoVectorSplit");
  await shows(page, ".pypto-ir", /aiv_shard/);
}

export const scenarios = {
  async "the lens above a kernel opens its lowered IR beside the source"(page) {
    await openFile(page, SAMPLE);
    await page.locator(".codelens-decoration a", { hasText: "Show lowered IR" }).first().click();
    await shows(page, ".pypto-ir", /aiv_shard/);
    equal(await page.locator(".editor-group-container").count(), 2);
    match(await textOf(editorOf(page, SAMPLE)), /scaled.* = pl\.mul/);
  },
  async "the pass picker says what each pass did and shows the one that is taken"(page) {
    await beside(page);
    await command(page, "PyPTO: Pick the Pass of the Lowered IR");
    const rows = await offered(page, PICK);
    match(rows[0], /Source\s*before any pass/);
    ok(rows.some((row) => /InlineFunctions\s*no change · [\d.]+ ms/.test(row)), rows.join("\n"));
    await choose(page, PICK, "ExpandMixedKernel");
    await shows(page, "ScaledProduct.ExpandMixedKernel.pypto-ir", /tpush|aic_initialize_pipe|reserve_buffer/);
    equal(await page.locator(".tab", { hasText: ".pypto-ir" }).count(), 1, "it takes the place of the other one");
    await command(page, "PyPTO: Pick the Pass of the Lowered IR");
    await choose(page, PICK, "Source");
    await shows(page, "ScaledProduct.source.pypto-ir", /scaled: .*= pl\.tile\.muls\(local, 0\.125\)/);
    await command(page, "View: Close All Editors");
    await openFile(page, SAMPLE);
    await command(page, "PyPTO: Pick the Pass of the Lowered IR");
    await choose(page, PICK, "LowerAutoVectorSplit");
    await shows(page, "ScaledProduct.LowerAutoVectorSplit.pypto-ir", /aiv_shard/);
  },
  async "what a pass did stands side by side"(page) {
    await beside(page);
    await page.keyboard.press("Control+2");
    await page.locator(".editor-group-container.active .tab.active", { hasText: ".pypto-ir" }).waitFor();
    await command(page, "PyPTO: Show What a Pass Did");
    const diff = page.locator(".monaco-diff-editor");
    const side = (name) => diff.locator(`.editor.${name}`);
    await waitFor("both sides", async () => /aiv_shard/.test(await textOf(side("modified"))) && /tile\.move/.test(await textOf(side("original"))), 30000);
    ok(!/aiv_shard/.test(await textOf(side("original"))), "the pass makes the shard");
    match(await page.locator(".tab.active", { hasText: "↔" }).innerText(), /ScaledProduct: \w+ ↔ LowerAutoVectorSplit/);
    await diff.locator(".editor.modified .line-insert").first().waitFor({ timeout: 30000 });
  },
  async "two passes that are picked stand side by side"(page) {
    await openFile(page, SAMPLE);
    await command(page, "PyPTO: Diff Two Passes");
    await choose(page, "Left side: IR after this pass", "Source");
    await choose(page, "Right side: IR after this pass", "LowerAutoVectorSplit");
    const diff = page.locator(".monaco-diff-editor");
    await waitFor("the split", async () => /aiv_shard/.test(await textOf(diff.locator(".editor.modified"))), 30000);
    match(await textOf(diff.locator(".editor.original")), /\[128, 64\]/);
  },
  async "the cursor in the source marks what its line became"(page) {
    await beside(page);
    await goTo(page, SCALED, 10);
    const lines = await marks(page, ".pypto-ir", "the product", (found) => found.some((l) => l.includes("0.125")));
    ok(lines.every((l) => l.startsWith("scaled")), lines.join("\n"));
    await page.keyboard.press("ArrowDown");
    await marks(page, ".pypto-ir", "the next statement", (found) => found.length > 0 && found.every((l) => l.startsWith("shifted")));
    // Another pass: the marks come with it, without a movement of the cursor.
    await command(page, "PyPTO: Pick the Pass of the Lowered IR");
    await choose(page, PICK, "ExpandMixedKernel");
    await marks(page, "ScaledProduct.ExpandMixedKernel.pypto-ir", "the same statement", (found) => found.length > 0 && found.every((l) => l.startsWith("shifted")));
  },
  async "the cursor in the lowered text marks the source, until it is closed"(page) {
    await beside(page);
    const lowered = editorOf(page, ".pypto-ir");
    const line = lowered.locator(".view-line", { hasText: "0.125" }).first();
    await line.click({ position: { x: 200, y: 8 } });
    match((await marks(page, SAMPLE, "the source line", (found) => found.length > 0)).join(), MAKES);
    await command(page, "View: Close Editor");
    await marks(page, SAMPLE, "nothing", (found) => found.length === 0);
  },
  async "the marks follow an edit above"(page) {
    await beside(page);
    await goTo(page, SCALED, 1);
    await marks(page, ".pypto-ir", "the product", (found) => found.some((l) => l.includes("0.125")));
    await goTo(page, SCALED - 2, 1);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    // At once: what is typed letter by letter meets completions and closing brackets. The editor has made the indentation.
    await page.keyboard.insertText("twice = pl.mul(local, 2.0)");
    await shows(page, ".pypto-ir", /twice/);
    await goTo(page, SCALED + 1, 10);
    const lines = await marks(page, ".pypto-ir", "the product", (found) => found.some((l) => l.includes("0.125")));
    ok(lines.every((l) => l.startsWith("scaled")), lines.join("\n"));
    await command(page, "File: Revert File");
  },
};

/** Runs the scenarios whose name matches; outcomes like those of the suite. */
export async function play(page, wanted) {
  const outcomes = [];
  for (const [name, run] of Object.entries(scenarios)) {
    if (!wanted.test(name)) continue;
    const start = Date.now();
    try {
      await clear(page);
      await run(page);
      outcomes.push({ name, ok: true, ms: Date.now() - start });
    } catch (error) {
      if (process.env.PYPTO_SHOTS) await page.screenshot({ path: `${process.env.PYPTO_SHOTS}/${name.replace(/\W+/g, "_")}.png` });
      outcomes.push({ name, ok: false, ms: Date.now() - start, error: String(error.stack ?? error) });
    }
  }
  return outcomes;
}
