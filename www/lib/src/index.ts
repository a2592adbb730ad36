/**
 * Opens, checks and converts machine-learning dataset files in browsers and Node.
 *
 * @module
 */
export type * from "./types.js";
export { capabilities, parseFilter } from "./capabilities.js";
export { convert } from "./convert.js";
export { ForebayError, hostCodes, type HostCode } from "./errors.js";
export { codecs, formats, mediaFormats } from "./formats.js";
export { httpSource } from "./http.js";
export { fileSink, fileSource } from "./node.js";
export { check, open, openSamples, openTable } from "./open.js";
export { configure, shutdown } from "./pool.js";
export { memorySink, type MemorySink } from "./sinks.js";
export { blobSource, bytesSource } from "./sources.js";
export { TableBatch, TableColumn, type Cell, type Row, type SparseVector, type TypedArray } from "./table-column.js";
