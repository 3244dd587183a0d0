import assert from "node:assert/strict";
import { test } from "node:test";
import { loweredPath, loweredQuery, parseLoweredQuery } from "../src/irUri";
import { loweredLines, sourceLines } from "../src/sourceMap";

const map = [
  { source: 4, sourceEnd: 4, lowered: 10 },
  { source: 5, sourceEnd: 6, lowered: 11 },
  { source: 4, sourceEnd: 4, lowered: 30 },
];

test("a source line knows every lowered line it became", () => {
  assert.deepEqual(loweredLines(map, 4), [10, 30]);
  assert.deepEqual(loweredLines(map, 6), [11]);
  assert.deepEqual(loweredLines(map, 9), []);
});

test("a lowered line knows its source lines", () => {
  assert.deepEqual(sourceLines(map, 11), [5, 6]);
  assert.deepEqual(sourceLines(map, 12), []);
});

test("the address of a lowered document can be read back", () => {
  const source = { uri: "file:///k%20x.py", entry: "softmax", pass: "LowerAutoVectorSplit" };
  assert.equal(loweredPath(source), "/softmax.LowerAutoVectorSplit.pypto-ir");
  assert.deepEqual(parseLoweredQuery(loweredQuery(source)), source);
  assert.equal(loweredPath({ ...source, pass: "" }), "/softmax.source.pypto-ir");
  assert.equal(parseLoweredQuery("not json"), undefined);
  assert.equal(parseLoweredQuery('{"uri": 3}'), undefined);
});
