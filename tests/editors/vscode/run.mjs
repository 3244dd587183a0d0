// Drives a real VS Code workbench (code-server in Chromium): installs both extensions, waits for the test suite, takes screenshots.
// Usage: node run.mjs <extension.vsix> <tests.vsix> <folder with samples> <interpreter> [<folder for screenshots>]
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [extension, suite, samples, interpreter, shots] = process.argv.slice(2).map((p) => p && resolve(p));
const cache = resolve(import.meta.dirname, "../../../.cache/editors");
const { chromium } = createRequire(join(cache, "tools", "package.json"))("playwright-core");
const work = mkdtempSync(join(tmpdir(), "pypto-vscode-"));
const folder = join(work, "kernels");
const results = join(work, "results.json");
const entry = join(cache, "package", "out", "node", "entry.js");
const common = ["--extensions-dir", join(work, "extensions"), "--user-data-dir", join(work, "data")];
const env = {
  ...process.env,
  HOME: work,
  PATH: `${join(cache, "node-bin")}:${process.env.PATH}`,
  PYPTO_TEST_RESULTS: results,
  PYPTO_TEST_SAMPLES: folder,
};
const CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function waitFor(what, probe, timeout) {
  const end = Date.now() + timeout;
  while (Date.now() < end) {
    if (await probe()) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(`waited ${timeout} ms for ${what}`);
}

cpSync(samples, folder, { recursive: true });
mkdirSync(join(work, "data", "User"), { recursive: true });
writeFileSync(
  join(work, "data", "User", "settings.json"),
  JSON.stringify({
    "security.workspace.trust.enabled": false,
    "workbench.startupEditor": "none",
    "telemetry.telemetryLevel": "off",
    "extensions.autoUpdate": false,
    "extensions.autoCheckUpdates": false,
    "chat.disableAIFeatures": true,
    "update.mode": "none",
    "workbench.colorTheme": "Default Light Modern",
    "pypto.interpreter": interpreter,
  }),
);
for (const vsix of [extension, suite]) {
  const installed = spawnSync("node", [entry, ...common, "--install-extension", vsix], { env, encoding: "utf8" });
  if (installed.status !== 0) throw new Error(`cannot install ${vsix}:\n${installed.stdout}${installed.stderr}`.slice(0, 2000));
}
const port = await freePort();
const server = spawn("node", [entry, "--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", ...common, folder], { env, stdio: ["ignore", "pipe", "pipe"] });
let output = "";
for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => (output += chunk));

let failed = 1;
let browser;
try {
  await waitFor("code-server", async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok, 30000);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: CHROMIUM_FLAGS });
  const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
  await page.waitForSelector(".monaco-workbench", { timeout: 60000 });
  await waitFor("the test suite", () => existsSync(results), 240000);
  const { results: outcomes, timing } = JSON.parse(readFileSync(results, "utf8"));
  for (const { name, ok, ms, error } of outcomes) console.log(`${ok ? "ok  " : "FAIL"} ${name} (${ms} ms)${error ? `\n${error}` : ""}`);
  console.log(`keystroke to diagnostics in the editor: ${JSON.stringify(timing)}`);
  failed = outcomes.filter((o) => !o.ok).length;
  if (shots) await screenshots(page, shots);
  console.log(`${outcomes.length - failed} passed, ${failed} failed`);
} catch (error) {
  console.log(String(error.stack ?? error));
  if (existsSync(`${results}.part`)) console.log(readFileSync(`${results}.part`, "utf8"));
  for (const name of readdirSync(join(work, "data"), { recursive: true }).filter((n) => /PyPTO[^/]*\.log$/.test(n))) {
    console.log(`--- ${name}\n${readFileSync(join(work, "data", name), "utf8").slice(-3000)}`);
  }
  console.log("0 passed, 1 failed");
} finally {
  await browser?.close();
  server.kill("SIGKILL");
  rmSync(work, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

async function openFile(page, name) {
  await page.keyboard.press("Control+P");
  await page.waitForSelector(".quick-input-widget input");
  await page.keyboard.type(name, { delay: 10 });
  await page.waitForTimeout(600);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(1500);
}

async function command(page, title) {
  await page.keyboard.press("F1");
  await page.waitForSelector(".quick-input-widget input");
  await page.keyboard.type(title, { delay: 10 });
  await page.waitForTimeout(600);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(1500);
}

async function screenshots(page, into) {
  mkdirSync(into, { recursive: true });
  await command(page, "View: Close All Editors");
  await openFile(page, "wrong_column_peak.py");
  await page.waitForSelector(".squiggly-error", { timeout: 20000 });
  await command(page, "Problems: Focus on Problems View");
  await page.screenshot({ path: join(into, "diagnostic.png") });
  await command(page, "View: Close All Editors");
  await command(page, "View: Hide Panel");
  await openFile(page, "scaled_product.py");
  const word = page.locator(".view-line span", { hasText: /^scaled/ }).first();
  await word.hover();
  await page.waitForSelector(".monaco-hover-content", { timeout: 15000 });
  await page.waitForTimeout(800);
  await page.screenshot({ path: join(into, "hover.png") });
  await page.mouse.move(5, 5);
  await command(page, "PyPTO: Show Lowered IR");
  await page.waitForTimeout(2500);
  await page.screenshot({ path: join(into, "lowered.png") });
}
