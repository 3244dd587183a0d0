// Tests with the real `vscode` API. Results go to the file named by PYPTO_TEST_RESULTS; the driver reads them.
const vscode = require("vscode");
const fs = require("node:fs");
const path = require("node:path");
const assert = require("node:assert/strict");

const RESULTS = process.env.PYPTO_TEST_RESULTS;
const SAMPLES = process.env.PYPTO_TEST_SAMPLES;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `probe` until it gives something truthy. */
async function until(what, probe, timeout = 60000) {
  const end = Date.now() + timeout;
  let last;
  while (Date.now() < end) {
    last = await probe();
    if (last) return last;
    await sleep(50);
  }
  throw new Error(`waited ${timeout} ms for ${what}`);
}

async function open(name) {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path.join(SAMPLES, name)));
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One });
  return document;
}

const ours = (document) => vscode.languages.getDiagnostics(document.uri).filter((d) => d.source === "pypto");
const code = (diagnostic) => (typeof diagnostic.code === "object" ? diagnostic.code.value : diagnostic.code);

async function insert(document, position, text) {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, position, text);
  await vscode.workspace.applyEdit(edit);
}

function place(document, text, offset = 0) {
  const at = document.getText().indexOf(text);
  assert.ok(at >= 0, `the sample has ${text}`);
  return document.positionAt(at + offset);
}

const serverReady = () => until("the server", async () => (await serverCommands()).length > 0);
const serverCommands = async () => (await vscode.commands.getCommands()).filter((name) => name.startsWith("pypto.server."));

const tests = {
  async "Python files that never name the language start no server"() {
    const document = await open("plain.py");
    await vscode.extensions.getExtension("pypto-lsp.pypto-lsp").activate();
    await insert(document, new vscode.Position(0, 0), "import math\n");
    await sleep(1000);
    assert.deepEqual(await serverCommands(), []);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },
  async "a wrong kernel gets its diagnostic at the author's characters"() {
    const document = await open("wrong_column_peak.py");
    const found = await until("diagnostics", () => ours(document).find((d) => code(d) === "aiv-reduce-split-axis"));
    assert.match(document.getText(found.range), /col_max|share/);
    assert.ok(found.code.target.toString().includes("aiv-reduce-split-axis"));
  },
  async "a sound kernel gets none"() {
    const document = await open("scaled_product.py");
    await until("hover", async () => (await hover(document, "scaled = pl.mul", 1)).includes("per lane"));
    assert.deepEqual(ours(document).filter((d) => d.severity === vscode.DiagnosticSeverity.Error), []);
  },
  async "a hover says what each lane holds"() {
    const document = await open("scaled_product.py");
    const text = await until("lanes in the hover", async () => {
      const found = await hover(document, "scaled = pl.mul", 1);
      return found.includes("per lane") && found;
    });
    assert.match(text, /\[64, 64\]/);
    assert.match(text, /lane 0 rows 0–63/);
    assert.match(text, /16 KiB per lane/);
  },
  async "an edit makes a diagnostic appear and undoing it takes it away"() {
    const document = await open("scaled_product.py");
    const line = place(document, "        scaled = pl.mul");
    await insert(document, line, "        lost = pl.mul(nowhere, 2.0)\n");
    await until("a diagnostic of the unknown name", () => ours(document).some((d) => d.message.includes("nowhere")));
    await vscode.commands.executeCommand("undo");
    await until("its disappearance", () => !ours(document).some((d) => d.message.includes("nowhere")));
  },
  async "the lowered IR is a read-only document that follows edits"() {
    const document = await open("scaled_product.py");
    await serverReady();
    const entries = await until("entries", () => vscode.commands.executeCommand("pypto.server.entries", document.uri.toString()));
    const query = JSON.stringify({ uri: document.uri.toString(), entry: entries[0].name, pass: "LowerAutoVectorSplit" });
    const uri = vscode.Uri.from({ scheme: "pypto-ir", path: `/${entries[0].name}.LowerAutoVectorSplit.pypto-ir`, query });
    const lowered = await vscode.workspace.openTextDocument(uri);
    assert.match(lowered.getText(), /pl\.tile\.aiv_shard/);
    await vscode.commands.executeCommand("pypto.showLoweredIR", document.uri.toString(), entries[0].name);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(place(document, "0.125"), place(document, "0.125", 5)), "0.375");
    await vscode.workspace.applyEdit(edit);
    await until("the refreshed document", () => lowered.getText().includes("0.375"));
    await vscode.commands.executeCommand("undo");
  },
  async "a quick fix repairs the kernel"() {
    const document = await open("fixable.py");
    const found = await until("diagnostics", () => ours(document).find((d) => d.severity === vscode.DiagnosticSeverity.Error));
    const actions = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, found.range, "quickfix", 20);
    const fix = actions.find((a) => a.edit && !a.title.startsWith("Ignore"));
    assert.ok(fix, `a fix for ${code(found)} among ${actions.map((a) => a.title).join(", ")}`);
    await vscode.workspace.applyEdit(fix.edit);
    await until("the disappearance of the diagnostic", () => !ours(document).some((d) => code(d) === code(found)));
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },
  async "lanes stand in the line, the split above the kernel, and a rename reaches every use"() {
    const document = await open("scaled_product.py");
    await serverReady();
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    const label = (hint) => (typeof hint.label === "string" ? hint.label : hint.label.map((part) => part.value).join(""));
    const hint = await until("lanes in a hint", async () => {
      const hints = await vscode.commands.executeCommand("vscode.executeInlayHintProvider", document.uri, all);
      return hints.find((h) => label(h).endsWith(" → [64, 64]/lane"));
    });
    assert.ok(hint.label.at(-1).location, "the share leads to what shares out");
    const lens = await until("a lens", async () => {
      const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", document.uri, 5);
      return lenses.find((l) => l.command?.title.includes("split UP_DOWN"));
    });
    assert.match(lens.command.title, /AIC \+ AIV · split UP_DOWN · 1 boundary crossing/);
    const edit = await vscode.commands.executeCommand("vscode.executeDocumentRenameProvider", document.uri, place(document, "scaled = pl.mul", 1), "smaller");
    assert.equal(edit.get(document.uri).length, 2, "where it is bound and where it is read; not in the text above");
    const tokens = await vscode.commands.executeCommand("vscode.provideDocumentSemanticTokens", document.uri);
    assert.ok(tokens.data.length > 50);
  },
  async "the project file chooses the backend where the editor does not"() {
    const document = await open("chosen/softmax.py");
    await serverReady();
    const backend = () => vscode.commands.executeCommand("pypto.server.backend", document.uri.toString());
    assert.equal((await backend()).backend, "a5", "its pyproject.toml says so");
    const config = vscode.workspace.getConfiguration("pypto", document.uri);
    await config.update("backend", "a2a3", vscode.ConfigurationTarget.Workspace);
    await until("the editor's choice", async () => (await backend()).backend === "a2a3");
    await config.update("backend", undefined, vscode.ConfigurationTarget.Workspace);
    await until("the project's choice", async () => (await backend()).backend === "a5");
  },
  async "debug information names the server and the open files"() {
    await open("scaled_product.py");
    await serverReady();
    await vscode.commands.executeCommand("pypto.debugInformation");
    const text = await until("the text", () => {
      const shown = vscode.window.activeTextEditor?.document;
      return shown?.isUntitled && shown.getText();
    });
    for (const part of [/server from pypto\.interpreter/, /scaled_product\.py: version/, /Python 3/]) assert.match(text, part);
    // It stays open: an untitled document that is opened right after one was closed may get its name, and then its text.
  },
  async "the sample of the walkthrough is a kernel without errors"() {
    await vscode.commands.executeCommand("pypto.openSample");
    const { document } = await until("the sample", () => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.isUntitled && editor.document.getText().includes("pl.program") && editor;
    });
    await until("a hover", async () => (await hover(document, "scaled = pl.mul", 1)).includes("per lane"));
    assert.deepEqual(ours(document).filter((d) => d.severity === vscode.DiagnosticSeverity.Error), []);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  },
  async "the server comes back after a restart"() {
    const document = await open("wrong_column_peak.py");
    await serverReady();
    const before = await serverProcess();
    await vscode.commands.executeCommand("pypto.restartServer");
    assert.notEqual(await serverProcess(), before);
    await until("diagnostics", () => ours(document).some((d) => code(d) === "aiv-reduce-split-axis"));
  },
  async "the server comes back after its death"() {
    const document = await open("wrong_column_peak.py");
    await serverReady();
    const before = await serverProcess();
    process.kill(before, "SIGKILL");
    await until("another process", async () => (await serverProcess().catch(() => before)) !== before);
    await until("diagnostics", () => ours(document).some((d) => code(d) === "aiv-reduce-split-axis"));
  },
  async "modules of the user are never imported"() {
    assert.ok(!fs.existsSync(path.join(SAMPLES, "imported.txt")), "a file of the workspace was run");
  },
};

async function hover(document, text, offset) {
  const found = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, place(document, text, offset));
  return found.flatMap((h) => h.contents.map((c) => (typeof c === "string" ? c : c.value))).join("\n");
}

/** Process id of the server, as it says itself. */
async function serverProcess() {
  const text = await vscode.commands.executeCommand("pypto.server.debugInformation");
  const found = /process (\d+)/.exec(text);
  assert.ok(found, text);
  return Number(found[1]);
}

async function latency() {
  const document = await open("scaled_product.py");
  await serverReady();
  const times = [];
  for (let i = 0; i < 20; i++) {
    const changed = new Promise((resolve) => {
      const subscription = vscode.languages.onDidChangeDiagnostics((event) => {
        if (event.uris.some((u) => u.toString() === document.uri.toString())) {
          subscription.dispose();
          resolve(performance.now());
        }
      });
    });
    const start = performance.now();
    await insert(document, place(document, "        scaled = pl.mul"), `        lost = pl.mul(nowhere${i}, 2.0)\n`);
    times.push((await changed) - start);
    await vscode.commands.executeCommand("undo");
    await sleep(100);
  }
  times.sort((a, b) => a - b);
  return { p50: times[10], p95: times[18] };
}

exports.activate = async () => {
  if (!RESULTS) return;
  const results = [];
  const wanted = new RegExp(process.env.PYPTO_TESTS ?? "");
  for (const [name, run] of Object.entries(tests)) {
    if (!wanted.test(name)) continue;
    const start = Date.now();
    try {
      await run();
      results.push({ name, ok: true, ms: Date.now() - start });
    } catch (error) {
      results.push({ name, ok: false, ms: Date.now() - start, error: String(error.stack ?? error) });
    }
    fs.writeFileSync(`${RESULTS}.part`, JSON.stringify({ results, timing: {} }));
  }
  const timing = await latency().catch((error) => ({ error: String(error) }));
  fs.writeFileSync(`${RESULTS}.part`, JSON.stringify({ results, timing }));
  fs.renameSync(`${RESULTS}.part`, RESULTS);
};
