// Bundles the extension into one file; with --tests the unit tests, which need no editor.
import { build, context } from "esbuild";
import { readdirSync } from "node:fs";

const flag = (name) => process.argv.includes(name);
const common = { bundle: true, platform: "node", target: "node20", format: "cjs", logLevel: "warning" };

if (flag("--tests")) {
  const entryPoints = readdirSync("test").filter((f) => f.endsWith(".test.ts")).map((f) => `test/${f}`);
  await build({ ...common, entryPoints, outdir: "dist-test", sourcemap: "inline", external: ["vscode"] });
} else {
  const options = {
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: flag("--production"),
    sourcemap: !flag("--production"),
  };
  if (flag("--watch")) await (await context(options)).watch();
  else await build(options);
}
