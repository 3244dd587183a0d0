// Makes the .vsix: the same sources give the same bytes. Checks its size and its contents.
// Usage: node scripts/package.mjs [--twice] [--target PLATFORM] [--out FILE]; --twice compares two builds.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const extension = resolve(import.meta.dirname, "..");
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const bundled = existsSync(join(extension, "bundled", "libs"));
/** Without the server a page weighs more than the extension; with it most are native parts for four versions of Python. */
const LIMIT = (bundled ? 16 : 1.5) * 1024 * 1024;
const FOLDER = "https://raw.githubusercontent.com/pypto-lsp/pypto-lsp/HEAD/vscode-extension";
const PAGES = "https://github.com/pypto-lsp/pypto-lsp/blob/HEAD/vscode-extension";
const WANTED = ["dist/extension.js", "samples/split_kernel.py", "media/icon.png", "media/images/hover.png", "syntaxes/pypto-ir.tmLanguage.json", "LICENSE.txt", "readme.md", "changelog.md"];
const UNWANTED = /(^|\/)(src|test|scripts|node_modules|dist-test|__pycache__)\/|\.(ts|map|pyc)$|tsconfig|package-lock/;

function build(out) {
  const vsce = join(extension, "node_modules", ".bin", process.platform === "win32" ? "vsce.cmd" : "vsce");
  const target = option("--target");
  const args = ["package", "--no-dependencies", "--baseImagesUrl", FOLDER, "--baseContentUrl", PAGES, "-o", out, ...(target ? ["--target", target] : [])];
  // A fixed time of change, in a fixed time zone, in every entry of the archive.
  const env = { ...process.env, SOURCE_DATE_EPOCH: "1767225600", TZ: "UTC" };
  const made = spawnSync(vsce, args, { cwd: extension, env, encoding: "utf8", shell: process.platform === "win32" });
  if (made.status !== 0) fail(`${made.stdout}${made.stderr}`);
}

/** Names in a zip archive, from its central directory. */
function entries(archive) {
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  let at = archive.readUInt32LE(end + 16);
  const names = [];
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    names.push(archive.toString("utf8", at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

const out = resolve(option("--out") ?? join(extension, "pypto-lsp.vsix"));
build(out);
const names = entries(readFileSync(out)).filter((name) => name.startsWith("extension/")).map((name) => name.slice("extension/".length));
const missing = WANTED.filter((name) => !names.includes(name));
const extra = names.filter((name) => !name.startsWith("bundled/") && UNWANTED.test(name));
if (missing.length > 0) fail(`missing in the package: ${missing.join(", ")}`);
if (extra.length > 0) fail(`unwanted in the package: ${extra.slice(0, 10).join(", ")}`);
const size = statSync(out).size;
if (size > LIMIT) fail(`the package has ${size} bytes, the limit is ${LIMIT}`);
if (process.argv.includes("--twice")) {
  const folder = mkdtempSync(join(tmpdir(), "pypto-vsix-"));
  try {
    const again = join(folder, "again.vsix");
    build(again);
    if (!readFileSync(again).equals(readFileSync(out))) fail("two builds of the same sources differ");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(`${out}: ${(size / 1024).toFixed(0)} KiB, ${names.length} files${bundled ? ", with the server" : ""}${process.argv.includes("--twice") ? ", reproducible" : ""}`);
