// Copies what the extension shows from the documentation: the sample kernel and the pictures of the walkthrough.
import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

const extension = resolve(import.meta.dirname, "..");
const docs = resolve(extension, "..", "docs");
const copies = [
  ["samples/scaled_product.py", "samples/split_kernel.py"],
  ["images/diagnostic.png", "media/images/diagnostic.png"],
  ["images/hover.png", "media/images/hover.png"],
  ["images/lowered.png", "media/images/lowered.png"],
];
for (const [from, to] of copies) {
  const target = join(extension, to);
  mkdirSync(resolve(target, ".."), { recursive: true });
  copyFileSync(join(docs, from), target);
}
