// The grammar of lowered text, tried on lines as the printer writes them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Pattern {
  name?: string;
  match?: string;
  captures?: Record<string, { name: string }>;
}
const patterns: Pattern[] = JSON.parse(readFileSync("syntaxes/pypto-ir.tmLanguage.json", "utf8")).patterns;

/** Scope of the first pattern that matches at `text` in `line`, as an editor decides it. */
function scope(line: string, text: string): string | undefined {
  const at = line.indexOf(text);
  assert.ok(at >= 0, `${line} has ${text}`);
  for (const pattern of patterns) {
    if (!pattern.match) continue;
    for (const found of line.matchAll(new RegExp(pattern.match, "g"))) {
      if (found.index === at) return pattern.name ?? pattern.captures?.["1"]?.name;
    }
  }
  return undefined;
}

test("operations are coloured by the core that they run on", () => {
  assert.equal(scope("    p: pl.Tile[[64, 64], pl.FP32] = pl.tile.matmul(a, b)", "pl.tile.matmul"), "support.function.cube.pypto-ir");
  assert.equal(scope("    s = pl.tile.aiv_shard(p, split=1)", "pl.tile.aiv_shard"), "keyword.control.boundary.pypto-ir");
  assert.equal(scope("    t = pl.tile.tpop_from_aic(split=1)", "pl.tile.tpop_from_aic"), "keyword.control.boundary.pypto-ir");
  assert.equal(scope("    t = pl.tile.muls(s, 0.125)", "pl.tile.muls"), "support.function.pypto-ir");
});

test("types, element types, memories and comments", () => {
  const line = "    p: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = q  # lane 0";
  assert.equal(scope(line, "pl.Tile"), "support.type.pypto-ir");
  assert.equal(scope(line, "pl.FP32"), "constant.other.dtype.pypto-ir");
  assert.equal(scope(line, "pl.Mem.Vec"), "constant.language.pypto-ir");
  assert.equal(scope(line, "# lane 0"), "comment.line.number-sign.pypto-ir");
  assert.equal(scope(line, "64"), "constant.numeric.pypto-ir");
});

test("definitions", () => {
  assert.equal(scope("    @pl.function(type=pl.FunctionType.AIV)", "    @pl.function"), "meta.decorator.pypto-ir");
  assert.equal(scope("    def softmax_aiv(self):", "def"), "storage.type.pypto-ir");
});
