// Drives a real VS Code workbench (code-server in Chromium): installs both extensions, waits for the test suite, takes screenshots.
// Usage: node run.mjs <extension.vsix> <tests.vsix> <folder with samples> <interpreter> [<folder for screenshots>]
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { takePictures } from "./pictures.mjs";

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

function run(args) {
  const done = spawnSync("node", [entry, ...common, ...args], { env, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`code-server ${args.join(" ")}:\n${done.stdout}${done.stderr}`.slice(0, 2000));
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
    "window.commandCenter": false,
    "workbench.colorTheme": "Default Light Modern",
    "workbench.layoutControl.enabled": false,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    // What only the tests need stays out of the pictures.
    "files.exclude": { chosen: true, ".vscode": true, "click.py": true, "importlib.py": true, "runpy.py": true, "fixable.py": true, "plain.py": true },
    "editor.minimap.enabled": false,
    "editor.fontSize": 13,
    "editor.fontFamily": "'DejaVu Sans Mono'",
    "editor.inlayHints.fontSize": 12,
    "problems.showCurrentInStatus": true,
    "pypto.interpreter": interpreter,
  }),
);
const began = Date.now();
const seconds = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
run(["--install-extension", extension, "--install-extension", suite]);
console.log(`extensions installed after ${seconds()}`);
const port = await freePort();
const options = ["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
// A process group of its own: the server, the extension host and the language server end together.
const server = spawn("node", [entry, ...options, ...common, folder], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
let output = "";
for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => (output += chunk));

let failed = 1;
let browser;
try {
  await waitFor("code-server", async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok, 60000);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: CHROMIUM_FLAGS });
  const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
  await page.waitForSelector(".monaco-workbench", { timeout: 120000 });
  console.log(`workbench open after ${seconds()}`);
  await waitFor("the test suite", () => existsSync(results), 480000);
  const { results: outcomes, timing } = JSON.parse(readFileSync(results, "utf8"));
  for (const { name, ok, ms, error } of outcomes) console.log(`${ok ? "ok  " : "FAIL"} ${name} (${ms} ms)${error ? `\n${error}` : ""}`);
  console.log(`keystroke to diagnostics in the editor: ${JSON.stringify(timing)}`);
  failed = outcomes.filter((o) => !o.ok).length + (timing.error ? 1 : 0);
  if (shots) await takePictures(page, shots);
  console.log(`${outcomes.length - failed} passed, ${failed} failed, ${seconds()}`);
} catch (error) {
  console.log(String(error.stack ?? error));
  if (existsSync(`${results}.part`)) console.log(readFileSync(`${results}.part`, "utf8"));
  console.log(output.split("\n").filter((line) => /pypto/i.test(line)).slice(-20).map((line) => line.slice(0, 300)).join("\n"));
  console.log("0 passed, 1 failed");
} finally {
  await browser?.close();
  try {
    process.kill(-server.pid, "SIGKILL");
  } catch {
    // it has ended by itself
  }
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(failed ? 1 : 0);
