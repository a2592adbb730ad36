import * as argument from "../base/arguments.js";
import { NAMES, known } from "../base/option-names.js";
import { reportOf } from "../base/report.js";
import type { OpenedTableFormat } from "../samples/open-in-worker.js";
import { isColumnar } from "../model/formats.js";
import { ForebayError, hostError } from "../model/errors.js";
import type { TableModule, Turn } from "../worker/protocol.js";
import { call, client, type Client } from "../pool/pool.js";
import { runConversion } from "../sink/conversion.js";
import { textSettings } from "./text-options.js";
import { Session, type WorkerFile } from "../pool/session.js";
import { TableBatch, lastNamed, type RawBatch, type Row } from "../model/table-batch.js";
import type {
  CheckOptions,
  CheckReport,
  ColumnName,
  MatchOptions,
  OpenOptions,
  Output,
  ReadOptions,
  RowsOptions,
  Source,
  Table,
  TableConvertOptions,
  TableConvertSummary,
  TableField,
  TableMetadata,
  TableStats,
  TableStatsOptions,
  TextFormat,
  TextReadOptions,
} from "../model/index.js";
import { drive, free, steps } from "../pool/drive.js";

interface WorkerTable extends WorkerFile {
  readonly about: string;
}

interface About extends TableMetadata {
  format: OpenedTableFormat;
  length: number;
  schema: TableField[];
}

const schemaOf = ({ tbfSchema }: OpenOptions): string => (tbfSchema === undefined ? "" : JSON.stringify(tbfSchema));

/** The module that has these formats, of what is read and what is written. */
export const tableModule = (...formats: string[]): TableModule => (formats.some(isColumnar) ? "columns" : "tables");

/** Opens a table in one of the workers. */
async function openIn(
  source: Source,
  format: OpenedTableFormat,
  options: OpenOptions,
  module: TableModule,
): Promise<WorkerTable> {
  const worker = await client();
  const opener = await call(worker, source.name, "tableOpener", [
    format,
    source.byteLength,
    options.limits ?? {},
    schemaOf(options),
    module,
  ]);
  try {
    await drive(worker, opener, source, { signal: options.signal });
    const opened = await call(worker, source.name, "tableOpened", [opener]);
    return { client: worker, handle: opened.table, about: opened.about };
  } finally {
    void free(worker, opener);
  }
}

/** Opens a source that is a table. */
export async function openTableIn(
  source: Source,
  format: OpenedTableFormat,
  options: OpenOptions,
  owned: boolean,
  module: TableModule = tableModule(format),
): Promise<OpenTable> {
  return new OpenTable(source, options, await openIn(source, format, options, module), owned, module);
}

/** Checks a table, also one that cannot be opened. */
export async function checkTable(
  source: Source,
  format: OpenedTableFormat,
  open: OpenOptions,
  how: CheckOptions,
  rows: number | null,
): Promise<CheckReport> {
  return checkBy(
    source,
    (worker) =>
      call(worker, source.name, "tableCheck", [
        format,
        source.byteLength,
        open.limits ?? {},
        schemaOf(open),
        tableModule(format),
      ]),
    how,
    rows,
  );
}

/** Checks a text: every row that cannot be read, with its line. */
export async function checkText(
  source: Source,
  format: TextFormat,
  open: OpenOptions & TextReadOptions,
  how: CheckOptions,
): Promise<CheckReport> {
  const settings = JSON.stringify(textSettings(open));
  return checkBy(
    source,
    (worker) => call(worker, source.name, "textCheck", [format, source.byteLength, open.limits ?? {}, settings]),
    how,
    null,
  );
}

async function checkBy(
  source: Source,
  begin: (worker: Client) => Promise<number>,
  { signal, onProgress }: CheckOptions,
  rows: number | null,
): Promise<CheckReport> {
  const worker = await client();
  const id = await begin(worker);
  try {
    await drive(worker, id, source, {
      signal,
      readsItself: true,
      onTurn: (turn, bytes) =>
        onProgress?.({ samples: turn.done, totalSamples: rows, bytes, totalBytes: source.byteLength }),
    });
    return reportOf<CheckReport>((await call(worker, source.name, "text", [id])) ?? "{}");
  } finally {
    void free(worker, id);
  }
}

/** What `open` gives for a table. */
export class OpenTable extends Session<WorkerTable> implements Table {
  readonly kind = "table";
  readonly format: OpenedTableFormat;
  readonly length: number;
  readonly schema: readonly TableField[];
  readonly metadata: TableMetadata;
  readonly #options: OpenOptions;
  readonly #module: TableModule;

  constructor(source: Source, options: OpenOptions, worker: WorkerTable, owned: boolean, module: TableModule) {
    const about = JSON.parse(worker.about, (_, value: unknown) => value ?? undefined) as About;
    const { signal: _, onProgress: __, ...rest } = options;
    super(
      source,
      worker,
      (signal) => openIn(source, about.format, { ...rest, ...(signal && { signal }) }, module),
      owned,
    );
    const { format, length, schema, ...metadata } = about;
    this.format = format;
    this.length = length;
    this.schema = schema;
    this.metadata = metadata;
    this.#options = rest;
    this.#module = module;
  }

  async *rows(options: RowsOptions = {}): AsyncIterableIterator<Row> {
    for await (const batch of this.batches(options)) for (let i = 0; i < batch.length; i++) yield batch.row(i);
  }

  async *batches(options: RowsOptions = {}): AsyncIterableIterator<TableBatch> {
    known(argument.options(options, "which rows"), NAMES.rows, "rows");
    const { start = 0, end = this.length, columns, where = "", onProgress } = options;
    this.#inRange(start, end);
    argument.text(where, "a filter");
    const [names, wanted] = this.#columns(columns);
    const both = this.joined(options.signal);
    try {
      const { client, handle } = await this.inWorker(both.signal);
      const id = await call(client, this.name, "tableRows", [handle, start, end, wanted, where, false]);
      try {
        for await (const [turn, bytes] of steps(client, id, this.source, { signal: both.signal })) {
          onProgress?.({ samples: turn.done, totalSamples: end - start, bytes, totalBytes: null });
          if (turn.batch) yield new TableBatch(names, turn.batch);
        }
      } finally {
        void free(client, id);
      }
    } finally {
      both.release();
    }
  }

  async columns(
    start: number,
    end: number,
    columns?: readonly ColumnName[],
    options: ReadOptions = {},
  ): Promise<TableBatch> {
    known(argument.options(options, "how to read"), NAMES.read, "columns");
    this.#inRange(start, end);
    return this.#whole(columns, options.signal, (client, handle, wanted) =>
      call(client, this.name, "tableRows", [handle, start, end, wanted, "", true]),
    );
  }

  async take(rows: ArrayLike<number>, columns?: readonly ColumnName[], options: ReadOptions = {}): Promise<TableBatch> {
    known(argument.options(options, "how to read"), NAMES.read, "take");
    const numbers = argument.list(rows, "rows");
    for (const row of numbers) argument.inRange(row, this.length, "rows", this.name);
    return this.#whole(columns, options.signal, (client, handle, wanted) =>
      call(client, this.name, "tableTake", [handle, Float64Array.from(numbers), wanted]),
    );
  }

  async matches(where: string, options: MatchOptions = {}): Promise<Uint32Array> {
    known(argument.options(options, "how to look for rows"), NAMES.matches, "matches");
    const { signal, onProgress } = options;
    return this.run(signal, async (inner) => {
      argument.text(where, "a filter");
      const { client, handle } = await this.inWorker(inner);
      const id = await call(client, this.name, "tableMatching", [handle, where]);
      const onTurn = (turn: Turn, bytes: number) =>
        onProgress?.({ samples: turn.done, totalSamples: this.length, bytes, totalBytes: null });
      return this.finish(client, id, { signal: inner, onTurn, readsItself: true }, () =>
        call(client, this.name, "tableMatches", [id]),
      );
    });
  }

  async stats(options: TableStatsOptions = {}): Promise<TableStats> {
    known(argument.options(options, "what is counted"), NAMES.tableStats, "stats");
    const { where = "", columns, first = this.length, signal, onProgress } = options;
    return this.run(signal, async (inner) => {
      argument.text(where, "a filter");
      argument.whole(first, "how many rows are looked at");
      const [, wanted] = this.#columns(columns);
      const { client, handle } = await this.inWorker(inner);
      const id = await call(client, this.name, "tableStats", [handle, where, wanted, first]);
      const onTurn = (turn: Turn, bytes: number) =>
        onProgress?.({ samples: turn.done, totalSamples: Math.min(first, this.length), bytes, totalBytes: null });
      const text = await this.finish(client, id, { signal: inner, onTurn, readsItself: true }, () =>
        call(client, this.name, "text", [id]),
      );
      return reportOf<TableStats>(text ?? "{}");
    });
  }

  /** Converts, as the settings say: all rows, or the chosen ones, whose numbers rise. */
  async convert(
    output: Output,
    settings: string,
    chosen: Uint32Array | null,
    options: TableConvertOptions,
  ): Promise<Omit<TableConvertSummary, "inputBytes">> {
    const { signal, onProgress } = options;
    const module = tableModule(this.format, options.to);
    if (module !== this.#module) {
      // What is opened here is not written here.
      const other = await this.run(signal, (inner) =>
        openTableIn(this.source, this.format, { ...this.#options, signal: inner }, false, module),
      );
      return other.convert(output, settings, chosen, options).finally(() => other.close());
    }
    return this.#write(output, settings, chosen, signal, onProgress);
  }

  /** Writes the pictures of a column as a TAR of samples. */
  pictures(
    output: Output,
    column: string,
    { signal, onProgress }: Pick<TableConvertOptions, "signal" | "onProgress">,
  ): Promise<Omit<TableConvertSummary, "inputBytes">> {
    // What has no place elsewhere is text in the metadata.
    const settings = JSON.stringify({ to: "tar", pictures: column, lossy: true });
    return this.#write(output, settings, null, signal, onProgress);
  }

  #write(
    output: Output,
    settings: string,
    chosen: Uint32Array | null,
    signal: AbortSignal | undefined,
    onProgress: TableConvertOptions["onProgress"],
  ): Promise<Omit<TableConvertSummary, "inputBytes">> {
    return this.run(signal, async (inner) => {
      const { client, handle } = await this.inWorker(inner);
      const begin = () => call(client, this.name, "tableConvert", [handle, settings, chosen]);
      const onTurn = (turn: Turn, bytes: number) =>
        onProgress?.({ samples: turn.done, totalSamples: this.length, bytes, totalBytes: null });
      return reportOf(await runConversion(client, begin, this.source, output, { signal: inner, onTurn }));
    });
  }

  async document(options: ReadOptions = {}): Promise<string | null> {
    known(argument.options(options, "how to read"), NAMES.read, "document");
    return this.run(options.signal, async (signal) => {
      const { client, handle } = await this.inWorker(signal);
      return call(client, this.name, "tableDocument", [handle]);
    });
  }

  async check(options: CheckOptions = {}): Promise<CheckReport> {
    known(argument.options(options, "how to check"), NAMES.checkOpen, "check");
    return this.run(options.signal, (signal) =>
      checkTable(this.source, this.format, this.#options, { ...options, signal }, this.length),
    );
  }

  /** A read that gives all of its rows at once. */
  #whole(
    columns: readonly ColumnName[] | undefined,
    signal: AbortSignal | undefined,
    begin: (client: Client, handle: number, columns: Uint32Array | null) => Promise<number>,
  ): Promise<TableBatch> {
    const [names, wanted] = this.#columns(columns);
    return this.run(signal, async (inner) => {
      const { client, handle } = await this.inWorker(inner);
      let batch: RawBatch | null = null;
      const onTurn = (turn: Turn) => void (batch = turn.batch ?? batch);
      const id = await begin(client, handle, wanted);
      return this.finish(
        client,
        id,
        { signal: inner, onTurn },
        async () => new TableBatch(names, batch ?? { length: 0, numbers: new Float64Array(), columns: [] }),
      );
    });
  }

  /** Names and numbers of the columns; no numbers stand for all. */
  #columns(wanted: readonly ColumnName[] | undefined): [string[], Uint32Array | null] {
    if (!wanted) return [this.schema.map((field) => field.name), null];
    const places = argument.list(wanted, "columns").map((column) => {
      const place = typeof column === "number" ? column : lastNamed(this.schema, column);
      if (this.schema[place]) return place;
      throw new ForebayError("table.column", "usage", `there is no column ${JSON.stringify(column)}`, {
        file: this.name,
      });
    });
    return [places.map((place) => this.schema[place]!.name), Uint32Array.from(places)];
  }

  #inRange(start: number, end: number): void {
    if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= this.length) return;
    throw hostError("usage.out_of_range", `there are ${this.length} rows, so none from ${start} to ${end}`, {
      file: this.name,
      row: start,
    });
  }
}
