/**
 * Opens, checks and converts machine-learning dataset files in browsers and Node.
 *
 * @module
 */
export type * from "./model/index.js";
export { capabilities, parseFilter } from "./api/capabilities.js";
export { convert } from "./api/convert.js";
export { diff } from "./api/diff.js";
export { ForebayError, hostCodes, type HostCode } from "./model/errors.js";
export { codecs, formats, mediaFormats } from "./model/formats.js";
export { httpSource } from "./source/http.js";
export { fileSink } from "./sink/file.js";
export { fileSource } from "./source/file.js";
export { droppedFiles } from "./source/folder.js";
export { check, open, openSamples, openTable, openWarehouse } from "./api/open.js";
export { configure, shutdown } from "./pool/pool.js";
export { registerSamples } from "./serving/register.js";
export { memorySink, type MemorySink } from "./sink/sinks.js";
export { blobSource, bytesSource } from "./source/sources.js";
export { writeThumbs } from "./api/write-thumbs.js";
export { exportLabels } from "./labels/export.js";
export { readProject } from "./labels/project.js";
export { labelsOf } from "./labels/of-dataset.js";
export { detectLabels, labelStats, matchLabels, readLabels } from "./labels/read.js";
export { writeLabels } from "./labels/write.js";
export { isWarehouse } from "./warehouse/warehouse.js";
export {
  TableBatch,
  TableColumn,
  type Cell,
  type Row,
  type SparseVector,
  type TypedArray,
} from "./model/table-batch.js";
