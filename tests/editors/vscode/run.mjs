// Tests in a real VS Code workbench: the suite that runs in the extension host, then what a user does by keys.
// Usage: node run.mjs <extension.vsix> <tests.vsix> <folder with samples> <interpreter>; PYPTO_TESTS chooses by name.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { play } from "./scenarios.mjs";
import { waitFor, withWorkbench } from "./workbench.mjs";

const [extension, suite, samples, interpreter] = process.argv.slice(2).map((p) => resolve(p));
const began = Date.now();
const seconds = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
const tell = ({ name, ok, ms, error }) => console.log(`${ok ? "ok  " : "FAIL"} ${name} (${ms} ms)${error ? `\n${error}` : ""}`);
const resultsIn = (work) => join(work, "results.json");

/** What the suite found; an error names what it had found until it stopped. */
async function outcomesOfSuite(work) {
  const results = resultsIn(work);
  try {
    await waitFor("the test suite", () => existsSync(results), 480000);
  } catch (error) {
    throw new Error(`${error.message}\n${existsSync(`${results}.part`) ? readFileSync(`${results}.part`, "utf8") : ""}`);
  }
  return JSON.parse(readFileSync(results, "utf8"));
}

const wanted = new RegExp(process.env.PYPTO_TESTS ?? "");
const viewport = { width: 1400, height: 860 };
let failed = 1;
try {
  const { results, timing } = await withWorkbench(
    {
      samples,
      extensions: [extension, suite],
      interpreter,
      viewport,
      env: (work, folder) => ({ PYPTO_TEST_RESULTS: resultsIn(work), PYPTO_TEST_SAMPLES: folder }),
    },
    ({ work }) => outcomesOfSuite(work),
  );
  results.forEach(tell);
  console.log(`keystroke to diagnostics in the editor: ${JSON.stringify(timing)}`);
  // Another workbench: the suite leaves unsaved documents behind, about which the first one would ask.
  const played = await withWorkbench({ samples, extensions: [extension], interpreter, viewport }, ({ page }) => play(page, wanted));
  played.forEach(tell);
  const all = [...results, ...played];
  failed = all.filter((o) => !o.ok).length + (timing.error ? 1 : 0);
  console.log(`${all.length - failed} passed, ${failed} failed, ${seconds()}`);
} catch (error) {
  console.log(`${error.message}\n0 passed, 1 failed`);
}
process.exit(failed ? 1 : 0);
