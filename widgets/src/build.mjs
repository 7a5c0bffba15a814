// Builds the committed bundle: one readable ES module (anywidget's `_esm` may not import anything) and one style sheet.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "autodidact_widgets", "static");

await build({
  absWorkingDir: join(here, ".."),
  entryPoints: { stepper: join(here, "stepper.ts") },
  outdir: out,
  bundle: true,
  format: "esm",
  // the bundle is read by learners and reviewers: no minifying, and non-Latin letters stay as they are
  minify: false,
  charset: "utf8",
  target: ["chrome111", "firefox113", "safari16.4"],
});
await build({
  absWorkingDir: join(here, ".."),
  entryPoints: { stepper: join(here, "styles", "stepper.css") },
  outdir: out,
  bundle: true,
  minify: false,
  charset: "utf8",
  target: ["chrome111", "firefox113", "safari16.4"],
});
