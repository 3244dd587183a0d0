// Puts the server and what it needs below bundled/libs, for people who cannot install it in their environment.
// All of it is pure Python, so one folder fits every platform and every version from the oldest supported one on.
// Usage: node scripts/bundle-server.mjs
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const extension = resolve(import.meta.dirname, "..");
const root = resolve(extension, "..");
const libs = join(extension, "bundled", "libs");
const OLDEST = "3.10";
const VERSIONS = [OLDEST, "3.11", "3.12", "3.13", "3.14"];
const candidates = [process.env.PYTHON, join(root, ".venv", "bin", "python"), "python3", "python"].filter(Boolean);
const python = candidates.find((name) => spawnSync(name, ["-m", "pip", "--version"]).status === 0);

function pip(...args) {
  const done = spawnSync(python, ["-m", "pip", "--disable-pip-version-check", ...args, "--quiet"], { cwd: root, encoding: "utf8" });
  if (done.status !== 0) {
    console.error(`pip ${args.join(" ")}\n${done.stdout}${done.stderr}`);
    process.exit(1);
  }
}

/** What pip writes about the installation itself: it differs from build to build, and names this machine. */
const TRACES = new Set(["RECORD", "INSTALLER", "REQUESTED", "direct_url.json"]);

/** What the oldest version needs besides; pip judges conditions of dependencies by the version that it runs under. */
const FOR_OLDEST = ["tomli>=2.0", "exceptiongroup>=1.1.1"];
/** Only wheels without native parts. */
const PURE = ["--only-binary=:all:", "--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", OLDEST];

function clean(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const inDist = folder.endsWith(".dist-info");
    if (entry.name === "__pycache__" || (inDist && TRACES.has(entry.name))) rmSync(path, { recursive: true });
    else if (entry.isDirectory() && entry.name === "tests") rmSync(path, { recursive: true });
    else if (entry.isDirectory()) clean(path);
  }
}

/** Whether an interpreter of this version is there; ends with an error when the bundle does not run under it. */
function tryOut(version) {
  const env = { ...process.env, PYTHONPATH: libs, PYTHONSAFEPATH: "1", PYTHONDONTWRITEBYTECODE: "1" };
  const found = spawnSync(`python${version}`, ["--version"], { env }).status === 0;
  const program = "from pypto_lsp.server import create_server; create_server(); import pypto_lsp.cli";
  const done = found && spawnSync(`python${version}`, ["-S", "-c", program], { env, cwd: tmpdir(), encoding: "utf8" });
  if (done && done.status !== 0) {
    console.error(`the bundled server does not start under Python ${version}:\n${done.stderr.slice(-2000)}`);
    process.exit(1);
  }
  return found;
}

if (!python) {
  console.error("no Python with pip was found; set PYTHON");
  process.exit(1);
}
const work = mkdtempSync(join(tmpdir(), "pypto-bundle-"));
try {
  pip("wheel", "--no-deps", "--wheel-dir", work, ".");
  const wheel = join(work, readdirSync(work).find((name) => name.endsWith(".whl")));
  rmSync(libs, { recursive: true, force: true });
  mkdirSync(libs, { recursive: true });
  pip("install", "--target", libs, "--no-compile", ...PURE, wheel, ...FOR_OLDEST);
  for (const folder of ["bin", "Scripts"]) rmSync(join(libs, folder), { recursive: true, force: true });
  clean(libs);
} finally {
  rmSync(work, { recursive: true, force: true });
}
const tried = VERSIONS.filter(tryOut);
console.log(`tried under Python ${tried.join(", ") || "- none of them is on PATH"}`);
console.log(libs);
