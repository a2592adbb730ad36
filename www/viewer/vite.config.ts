import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** With these the threads of the package may be used; the site works without them too. */
const headers = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};
/** The tests' page with a made-up dataset; it is not a part of the site. */
const fake = process.env.VIEWER_FAKE === "1";

export default defineConfig({
  root: here(fake ? "../tests/viewer/page" : "."),
  base: "./",
  publicDir: here("./public"),
  resolve: { alias: { forebay: here("../lib/dist/index.js") } },
  define: { FOREBAY_QUICK: String(process.env.FOREBAY_QUICK === "1") },
  optimizeDeps: { exclude: ["forebay"] },
  worker: { format: "es" },
  build: {
    target: "es2022",
    outDir: here(fake ? "../../target/viewer-fake" : "../../dist/site"),
    emptyOutDir: true,
    // Everything is a file of its own: the page's policy allows no code inside of others.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { headers, host: "127.0.0.1", fs: { allow: [here("../..")] } },
  preview: { headers, host: "127.0.0.1" },
});
