/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The public interface of `forebay`, as types: what a source is, what a dataset answers, what conversion takes.
 *
 * Numbers of samples and byte positions are JavaScript numbers: files over 2^53 bytes are refused when they are
 * opened. Everything that reads takes an `AbortSignal`.
 *
 * @module
 */
export type * from "./convert.js";
export type * from "./diff.js";
export type * from "./folder.js";
export type * from "./io.js";
export type * from "./curate.js";
export type * from "./edits.js";
export type * from "./labels.js";
export type * from "./module-options.js";
export type * from "./names.js";
export type * from "./opened.js";
export type * from "./records.js";
export type * from "./reports.js";
export type * from "./runtime.js";
export type * from "./samples.js";
export type * from "./serving.js";
export type * from "./tables.js";
export type * from "./tensor.js";
export type * from "./thumbnails.js";
export type * from "./warehouse.js";
