import assert from "node:assert/strict";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { expandPath, serverEnvironment, venvPython, withTimeout } from "../src/paths";

test("home, workspace folder and environment are expanded", () => {
  assert.equal(expandPath("~/bin"), path.join(os.homedir(), "bin"));
  assert.equal(expandPath("${workspaceFolder}/x", "/w"), "/w/x");
  assert.equal(expandPath("${workspaceFolder}/x"), "${workspaceFolder}/x");
  assert.equal(expandPath("${env:ROOT}/x", undefined, { ROOT: "/r" }), "/r/x");
  assert.equal(expandPath("a~b"), "a~b");
});

test("the interpreter of a virtual environment depends on the platform", () => {
  assert.equal(venvPython("/v", "linux"), path.join("/v", "bin", "python"));
  assert.equal(venvPython("/v", "win32"), path.join("/v", "Scripts", "python.exe"));
});

test("a promise that is late or fails gives undefined", async () => {
  assert.equal(await withTimeout(Promise.resolve(3), 1000), 3);
  assert.equal(await withTimeout(new Promise(() => undefined), 10), undefined);
  assert.equal(await withTimeout(Promise.reject(new Error("no")), 1000), undefined);
});

test("the server's Python does not look for modules where it is started", () => {
  const env = serverEnvironment({ PATH: "/bin", PYTHONPATH: "/mine", NOTHING: undefined });
  assert.deepEqual(env, { PATH: "/bin", PYTHONPATH: "/mine", PYTHONSAFEPATH: "1" });
  assert.equal(serverEnvironment({ PYTHONPATH: "/mine" }, "/libs").PYTHONPATH, "/libs", "the bundled copy stands alone");
});
