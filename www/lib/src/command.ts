#!/usr/bin/env node
/** `npx forebay`: three commands of `forebay` in Node, with its exit codes. */
import { builtin } from "./base/node.js";
import { convert } from "./api/convert.js";
import { check, open } from "./api/open.js";
import { ForebayError, hostError } from "./model/errors.js";
import { shutdown } from "./pool/pool.js";
import { newFileSink } from "./sink/file.js";
import type { ConvertOptions, ConvertSummary, Fault, TableConvertSummary } from "./model/index.js";

const USAGE = `Usage: forebay inspect FILE       Show a file's format, size and contents
       forebay check FILE...      Verify files and report every fault with its location
       forebay convert FROM TO    Convert samples or tables; the name of TO says the format

The command of pip and cargo has more: forebay --help there.`;

const { argv, exit } = builtin<typeof import("node:process")>("node:process");

async function inspect(path: string): Promise<number> {
  using found = await open(path);
  console.log(`${path}\n  format       ${found.format}\n  size         ${found.byteLength} bytes`);
  if (found.kind === "samples") console.log(`  samples      ${found.length}`);
  else {
    console.log(`  rows         ${found.length}\n  columns      ${found.schema.length}`);
    for (const { name, type } of found.schema) console.log(`    ${name}  ${type}`);
  }
  for (const note of found.metadata.notes) console.log(`  note: ${note}`);
  return 0;
}

async function checkAll(paths: readonly string[]): Promise<number> {
  let worst = 0;
  for (const path of paths) {
    const { ok, samples, faultCount, faults, notes } = await check(path);
    console.log(
      `${path}: ${ok ? "sound" : `DAMAGED, ${faultCount} ${faultCount === 1 ? "fault" : "faults"}`}, ${samples} samples or rows`,
    );
    for (const fault of faults.slice(0, 20)) console.log(`  ${place(fault)}${fault.message} [${fault.code}]`);
    for (const note of notes.slice(0, 20)) console.log(`  note: ${note.message}`);
    if (!ok) worst = 1;
  }
  return worst;
}

function place({ section, member, sample, column, row, offset }: Fault): string {
  const places = Object.entries({ section, member, sample, column, row, byte: offset });
  const known = places.filter(([, value]) => value !== null && value !== undefined);
  return known.length
    ? `${known.map(([name, value]) => (name === "section" ? value : `${name} ${value}`)).join(", ")}: `
    : "";
}

async function convertTo(from: string, file: string): Promise<number> {
  if (builtin<typeof import("node:fs")>("node:fs").existsSync(file))
    throw hostError("usage.argument", "this file exists; remove it first", { file });
  // The library refuses a format that it does not write, by its name.
  const to = file.replace(/^.*\./s, "") as ConvertOptions["to"];
  const done = (await convert(from, await newFileSink(file), { to })) as ConvertSummary | TableConvertSummary;
  console.log(`${file}: ${"samples" in done ? `${done.samples} samples` : `${done.rows} rows`}`);
  return 0;
}

async function run([command, ...paths]: readonly string[]): Promise<number> {
  const [from, to] = paths;
  if (command === "inspect" && from !== undefined && paths.length === 1) return inspect(from);
  if (command === "check" && paths.length > 0) return checkAll(paths);
  if (command === "convert" && from !== undefined && to !== undefined && paths.length === 2) return convertTo(from, to);
  const asked = command === undefined || /^(-h|--help|help)$/.test(command);
  (asked ? console.log : console.error)(USAGE);
  return asked ? 0 : 2;
}

function failed(e: unknown): number {
  if (!(e instanceof ForebayError)) throw e;
  console.error(`error: ${e.file === undefined ? "" : `${e.file}: `}${e.message} [${e.code}]`);
  return { damaged: 1, unsupported: 3, usage: 2, limit: 1, io: 2 }[e.kind];
}

const code = await run(argv.slice(2)).catch(failed);
shutdown();
exit(code);
