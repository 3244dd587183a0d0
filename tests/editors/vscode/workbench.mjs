// A real VS Code workbench (code-server in Chromium) with a profile, a folder and extensions of its own.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const cache = resolve(import.meta.dirname, "../../../.cache/editors");
const { chromium } = createRequire(join(cache, "tools", "package.json"))("playwright-core");
const entry = join(cache, "package", "out", "node", "entry.js");
const CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const SETTINGS = {
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
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  "editor.fontFamily": "'DejaVu Sans Mono'",
  "editor.inlayHints.fontSize": 12,
  "problems.showCurrentInStatus": true,
};

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export async function waitFor(what, probe, timeout) {
  const end = Date.now() + timeout;
  while (Date.now() < end) {
    const found = await probe();
    if (found) return found;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(`waited ${timeout} ms for ${what}`);
}

/**
 * Opens a folder in a new workbench, runs `use({ page, folder })` there, and ends everything that was started.
 *
 * `samples` is copied to the folder, `extensions` are .vsix files, `interpreter` has the language server; `env(work)` gives further
 * variables of the extension host, for a folder that goes away with the workbench. What the workbench itself said about the extension
 * is added to an error.
 */
export async function withWorkbench({ samples, extensions, interpreter, viewport, env = () => ({}) }, use) {
  const work = mkdtempSync(join(tmpdir(), "pypto-vscode-"));
  const folder = join(work, "kernels");
  const common = ["--extensions-dir", join(work, "extensions"), "--user-data-dir", join(work, "data")];
  const environment = { ...process.env, HOME: work, PATH: `${join(cache, "node-bin")}:${process.env.PATH}`, ...env(work, folder) };
  let server;
  let browser;
  let output = "";
  try {
    cpSync(samples, folder, { recursive: true });
    mkdirSync(join(work, "data", "User"), { recursive: true });
    writeFileSync(join(work, "data", "User", "settings.json"), JSON.stringify({ ...SETTINGS, "pypto.interpreter": interpreter }));
    const install = extensions.flatMap((file) => ["--install-extension", file]);
    const done = spawnSync("node", [entry, ...common, ...install], { env: environment, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`code-server ${install.join(" ")}:\n${done.stdout}${done.stderr}`.slice(0, 2000));
    const port = await freePort();
    const options = ["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    // A process group of its own: the server, the extension host and the language server end together.
    server = spawn("node", [entry, ...options, ...common, folder], { env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true });
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => (output += chunk));
    await waitFor("code-server", async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok, 60000);
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: CHROMIUM_FLAGS });
    const page = await browser.newPage({ viewport });
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
    await page.waitForSelector(".monaco-workbench", { timeout: 120000 });
    return await use({ page, work, folder });
  } catch (error) {
    const told = output.split("\n").filter((line) => /pypto/i.test(line)).slice(-20).map((line) => line.slice(0, 300));
    throw new Error([String(error.stack ?? error), ...told].join("\n"));
  } finally {
    await browser?.close();
    try {
      if (server) process.kill(-server.pid, "SIGKILL");
    } catch {
      // it has ended by itself
    }
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}
