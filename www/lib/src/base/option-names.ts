import { hostError } from "../model/errors.js";
import type {
  BoxesOptions,
  CheckOptions,
  ConvertedInput,
  ConvertOptions,
  Dataset,
  DiffOptions,
  DivideOptions,
  DuplicatesOptions,
  EditOptions,
  EditSaveOptions,
  ExportLabelsOptions,
  HttpOptions,
  LabelMeaning,
  RegisterOptions,
  RecordsOptions,
  SortOptions,
  Limits,
  OpenOptions,
  OutliersOptions,
  ReadLabelsOptions,
  ReadOptions,
  RowsOptions,
  RuntimeOptions,
  SamplesConversion,
  SamplesOptions,
  StatisticsOptions,
  StatsOptions,
  TableConversion,
  TableConvertOptions,
  TableStatsOptions,
  TextReadOptions,
  ThumbnailBitmapOptions,
  ThumbnailOptions,
  WhereOptions,
  WriteLabelsOptions,
  WriteThumbsOptions,
} from "../model/index.js";
import { moduleOptions } from "../model/module-options.js";

type PrefetchOptions = NonNullable<Parameters<Dataset["prefetch"]>[1]>;

/**
 * The names of options, for callers without types: what is misspelled would be left out in silence otherwise. The
 * compiler holds each list to its type.
 */
const of = <T>(names: { [K in keyof Required<T>]: true }): readonly string[] => Object.keys(names);

const text = of<TextReadOptions>({
  from: true,
  types: true,
  schema: true,
  header: true,
  delimiter: true,
  null: true,
  sniffRows: true,
});
const open = of<OpenOptions>({
  signal: true,
  name: true,
  onProgress: true,
  grow: true,
  indexStore: true,
  keepGoing: true,
  limits: true,
  http: true,
  tbfSchema: true,
  column: true,
});

/** How `convert` opens what is not open yet. */
const input = of<ConvertedInput>({ name: true, limits: true, http: true });
const samplesInput = [...input, ...of<Pick<ConvertOptions, "column">>({ column: true })];
const tableInput = [...input, ...of<Pick<TableConvertOptions, "tbfSchema">>({ tbfSchema: true })];

const tensorUrl = [...moduleOptions.ImageNumbers, "normalize"];

const where = of<WhereOptions>({ where: true, signal: true, onProgress: true });

/** What each call takes. */
export const NAMES = {
  read: of<ReadOptions>({ signal: true, verify: true }),
  boxes: of<BoxesOptions>({ signal: true, verify: true, as: true }),
  signal: of<Pick<ReadOptions, "signal">>({ signal: true }),
  samples: [...where, ...of<Pick<SamplesOptions, "indexes">>({ indexes: true })],
  matches: of<Omit<WhereOptions, "where">>({ signal: true, onProgress: true }),
  stats: [...where, ...of<Pick<StatsOptions, "classField">>({ classField: true })],
  prefetch: of<PrefetchOptions>({ signal: true, budgetBytes: true }),
  checkOpen: of<CheckOptions>({ signal: true, onProgress: true }),
  rows: of<RowsOptions>({ start: true, end: true, columns: true, where: true, signal: true, onProgress: true }),
  tableStats: [...where, ...of<Omit<TableStatsOptions, keyof WhereOptions>>({ columns: true, first: true })],
  statistics: of<StatisticsOptions>({ pictures: true, signal: true, onProgress: true }),
  detectLabels: of<Pick<ReadLabelsOptions, "name" | "http" | "signal">>({ name: true, http: true, signal: true }),
  tensorUrl,
  tensor: [...tensorUrl, "into", "signal", "verify"],
  thumbnailUrl: of<Pick<ThumbnailOptions, "size" | "box">>({ size: true, box: true }),
  open,
  check: [...open, ...text, ...of<CheckOptions>({ signal: true, onProgress: true })],
  labels: [
    ...moduleOptions.LabelMeaning.filter((name) => name !== "boxes"),
    ...of<Omit<ReadLabelsOptions, keyof LabelMeaning>>({
      format: true,
      pictures: true,
      project: true,
      limits: true,
      http: true,
      name: true,
      signal: true,
      onProgress: true,
    }),
  ],
  exportLabels: of<ExportLabelsOptions>({
    where: true,
    indexes: true,
    boxes: true,
    vocBase: true,
    task: true,
    scores: true,
    names: true,
    classes: true,
    project: true,
    signal: true,
    onProgress: true,
  }),
  writeLabels: of<WriteLabelsOptions>({ project: true, signal: true, onProgress: true }),
  thumbnail: of<ThumbnailOptions & ThumbnailBitmapOptions>({
    size: true,
    box: true,
    type: true,
    quality: true,
    signal: true,
    as: true,
  }),
  records: of<RecordsOptions>({
    where: true,
    indexes: true,
    fields: true,
    batch: true,
    signal: true,
    onProgress: true,
  }),
  writeThumbs: of<WriteThumbsOptions>({ size: true, quality: true, signal: true, onProgress: true }),
  register: of<RegisterOptions>({ id: true, script: true }),
  sort: of<SortOptions>({ where: true, descending: true, signal: true, onProgress: true }),
  duplicates: of<DuplicatesOptions>({
    distance: true,
    exact: true,
    where: true,
    indexes: true,
    signal: true,
    onProgress: true,
  }),
  outliers: of<OutliersOptions>({ by: true, score: true, where: true, indexes: true, signal: true, onProgress: true }),
  diff: of<DiffOptions>({ payloads: true, metadata: true, signal: true, onProgress: true }),
  divide: of<DivideOptions>({
    parts: true,
    by: true,
    group: true,
    near: true,
    seed: true,
    where: true,
    indexes: true,
    signal: true,
    onProgress: true,
  }),
  edit: of<EditOptions>({ store: true, name: true, signal: true }),
  editSave: of<EditSaveOptions>({ to: true, inPlace: true, signal: true, onProgress: true }),
  limits: of<Limits>({ itemBytes: true, indexBytes: true, metadataBytes: true }),
  http: [
    ...of<HttpOptions>({
      fetch: true,
      headers: true,
      credentials: true,
      byteLength: true,
      retries: true,
      stallTimeout: true,
      maxWholeBytes: true,
    }),
    "signal",
  ],
  runtime: of<RuntimeOptions>({
    wasmUrl: true,
    wasmUrls: true,
    workerUrl: true,
    wasmModule: true,
    wasmModules: true,
    workers: true,
    threads: true,
  }),
  samplesInput,
  tableInput,
  convertSamples: [
    ...samplesInput,
    ...moduleOptions.SamplesConversion,
    ...of<Omit<ConvertOptions, keyof ConvertedInput | keyof SamplesConversion | "column">>({
      where: true,
      indexes: true,
      allowEmpty: true,
      signal: true,
      onProgress: true,
    }),
  ],
  convertTable: [
    ...tableInput,
    ...text,
    ...moduleOptions.TableConversion,
    ...of<
      Omit<TableConvertOptions, keyof TextReadOptions | keyof ConvertedInput | keyof TableConversion | "tbfSchema">
    >({
      indexes: true,
      layout: true,
      onBadRow: true,
      signal: true,
      onProgress: true,
    }),
  ],
} as const;

/** Refuses an option that the call does not have, and names the one that was probably meant. */
export function known(options: object, names: readonly string[], what: string): void {
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const near = names
      .map((one) => [one, distance(one.toLowerCase(), name.toLowerCase())] as const)
      .sort((a, b) => a[1] - b[1])[0];
    const hint =
      near && near[1] <= Math.max(1, name.length / 3) ? `did you mean ${near[0]}?` : `there are ${names.join(", ")}`;
    throw hostError("usage.argument", `${what} has no option ${JSON.stringify(name)}: ${hint}`);
  }
}

/** Refuses what says how an input is opened, for one that is open. */
export function notOpened(options: object, names: readonly string[], file: string | undefined): void {
  const name = names.find((one) => (options as Record<string, unknown>)[one] !== undefined);
  if (name === undefined) return;
  throw hostError("usage.argument", `${name} says how an input is opened, and this one is open already`, { file });
}

/** How many letters must be changed, added or left out to make one word of another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
