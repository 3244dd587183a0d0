import assert from "node:assert/strict";
import { test } from "node:test";
import { editMentionsLanguage, mentionsLanguage } from "../src/kernels";

test("only texts that name the package may hold kernels", () => {
  assert.ok(mentionsLanguage("import pypto.language as pl\n"));
  assert.ok(mentionsLanguage("from pypto import language"));
  assert.ok(!mentionsLanguage("import numpy as np\n"));
});

test("an edit is judged by what it wrote and the line that it is on", () => {
  const lines = ["import os", "import pypto", ""];
  const at = (line: number) => lines[line];
  const edit = (line: number, text: string) => [{ range: { start: { line } }, text }];
  assert.ok(!editMentionsLanguage(edit(0, "s"), at));
  assert.ok(editMentionsLanguage(edit(1, "o"), at), "typed letter by letter");
  assert.ok(editMentionsLanguage(edit(2, "a = 1\nimport pypto.language as pl\n"), at), "pasted");
});
