import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { EDITOR_SETTINGS, PROJECT_SETTINGS, serverSection, type Section } from "../src/settings";

const declared = JSON.parse(readFileSync("package.json", "utf8")).contributes.configuration.properties as Record<string, { default: unknown }>;

/** A section in which somebody chose `chosen`. */
function section(chosen: Record<string, unknown>): Section {
  return {
    get: (name) => (name in chosen ? chosen[name] : declared[`pypto.${name}`].default),
    inspect: (name) => ({ workspaceValue: chosen[name] }),
  };
}

test("defaults of project settings are not sent: a pyproject.toml may say otherwise", () => {
  const sent = serverSection(section({}));
  for (const name of PROJECT_SETTINGS) assert.ok(!(name in sent), name);
  assert.equal(sent.run, "onType");
  assert.deepEqual(sent.inlayHints, { types: true, lanes: true, parameters: false, tripCounts: false });
});

test("what somebody chose is sent, the default included", () => {
  assert.equal(serverSection(section({ backend: "a2a3" })).backend, "a2a3");
  assert.deepEqual(serverSection(section({ ignore: [] })).ignore, []);
  assert.equal(serverSection(section({ codeLens: false })).codeLens, false);
});

test("every setting for the server is declared", () => {
  for (const name of [...PROJECT_SETTINGS, ...EDITOR_SETTINGS]) assert.ok(`pypto.${name}` in declared, name);
});
