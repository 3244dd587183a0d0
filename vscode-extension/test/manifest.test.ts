// What package.json promises is there: commands, files, settings with descriptions.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const sources = readdirSync("src").map((name) => readFileSync(`src/${name}`, "utf8")).join("\n");
const commands: { command: string; title: string; category: string }[] = manifest.contributes.commands;

test("declared and registered commands are the same", () => {
  const registered = [...sources.matchAll(/\bcommand\("(pypto\.\w+)"/g)].map((m) => m[1]).sort();
  assert.deepEqual(commands.map((c) => c.command).sort(), registered);
  for (const command of commands) assert.equal(command.category, "PyPTO", command.command);
});

test("menus name declared commands", () => {
  const known = new Set(commands.map((c) => c.command));
  for (const items of Object.values<{ command: string; when: string }[]>(manifest.contributes.menus)) {
    for (const item of items) {
      assert.ok(known.has(item.command), item.command);
      assert.ok(item.when, item.command);
    }
  }
});

test("settings have a scope and a description; choices are explained", () => {
  for (const [name, setting] of Object.entries<any>(manifest.contributes.configuration.properties)) {
    assert.ok(["resource", "window"].includes(setting.scope), name);
    assert.ok(setting.markdownDescription.endsWith("."), name);
    if (setting.enum && name !== "pypto.trace.server") assert.equal(setting.enumDescriptions?.length, setting.enum.length, name);
  }
});

test("in an untrusted workspace no setting can choose what is run or read", () => {
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  for (const name of ["serverPath", "serverArgs", "interpreter", "importStrategy", "searchPath"]) assert.ok(restricted.includes(`pypto.${name}`), name);
});

test("settings that the sources read are declared", () => {
  const read = [...sources.matchAll(/get<[^>]+(?:\[\])?>\("([\w.]+)"/g)].map((m) => m[1]);
  assert.ok(read.length > 3);
  for (const name of read) assert.ok(`pypto.${name}` in manifest.contributes.configuration.properties, name);
});

test("files that package.json names exist", () => {
  const files = [manifest.icon, ...manifest.contributes.grammars.map((g: any) => g.path), ...manifest.contributes.languages.map((l: any) => l.configuration)];
  for (const step of manifest.contributes.walkthroughs[0].steps) files.push(step.media.markdown ?? step.media.image);
  for (const file of files) assert.ok(existsSync(file), file);
});
