// Puts the server and what it needs below bundled/libs, for people who cannot install it in their environment.
// libcst has native parts: one for every version of Python; their names do not clash, so all of them fit in one folder.
// Usage: node scripts/bundle-server.mjs [--target linux-x64] [--python 3.10,3.11,3.12,3.13]
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const extension = resolve(import.meta.dirname, "..");
const root = resolve(extension, "..");
const libs = join(extension, "bundled", "libs");
const option = (name, otherwise) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise);
const PLATFORMS = {
  "linux-x64": ["manylinux_2_28_x86_64", "manylinux2014_x86_64", "manylinux_2_17_x86_64"],
  "linux-arm64": ["manylinux_2_28_aarch64", "manylinux2014_aarch64", "manylinux_2_17_aarch64"],
  "darwin-x64": ["macosx_10_12_x86_64", "macosx_10_13_x86_64", "macosx_11_0_x86_64"],
  "darwin-arm64": ["macosx_11_0_arm64"],
  "win32-x64": ["win_amd64"],
};
const target = option("--target", `${process.platform}-${process.arch}`);
const versions = option("--python", "3.10,3.11,3.12,3.13").split(",");
const platforms = PLATFORMS[target];
if (!platforms) {
  console.error(`no platform ${target}; there are ${Object.keys(PLATFORMS).join(", ")}`);
  process.exit(2);
}
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

/** What old versions need besides; pip judges conditions of dependencies by the version that it runs under. */
function forVersion(version) {
  return Number(version.split(".")[1]) < 11 ? ["tomli>=2.0", "exceptiongroup>=1.1.1"] : [];
}

function clean(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const inDist = folder.endsWith(".dist-info");
    if (entry.name === "__pycache__" || (inDist && TRACES.has(entry.name))) rmSync(path, { recursive: true });
    else if (entry.isDirectory() && ["tests", "_yaml"].includes(entry.name)) rmSync(path, { recursive: true });
    else if (/^_yaml\./.test(entry.name)) rmSync(path); // only speed; the module works without
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
  for (const version of versions) {
    const into = join(work, version);
    const tags = platforms.flatMap((name) => ["--platform", name]);
    pip("install", "--target", into, "--no-compile", "--only-binary=:all:", ...tags, "--implementation", "cp", "--python-version", version, wheel, ...forVersion(version));
    for (const folder of ["bin", "Scripts"]) if (existsSync(join(into, folder))) rmSync(join(into, folder), { recursive: true });
    clean(into);
    cpSync(into, libs, { recursive: true, force: false });
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
const tried = target === `${process.platform}-${process.arch}` ? versions.filter(tryOut) : [];
console.log(`tried under Python ${tried.join(", ") || "- none of them is on PATH"}`);
console.log(`${libs}: ${target}, Python ${versions.join(", ")}`);
