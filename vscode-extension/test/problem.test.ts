import assert from "node:assert/strict";
import { test } from "node:test";
import { problemBody } from "../src/problem";

test("a report asks for the kernel and carries the debug information", () => {
  const body = problemBody("pypto-lsp 1.2\nopen documents:\n");
  assert.match(body, /### The kernel[\s\S]*import pypto\.language as pl/);
  assert.match(body, /```text\npypto-lsp 1\.2\nopen documents:\n```/);
});
