import { hostError } from "../model/errors.js";
import type {
  Dataset,
  OpenOptions,
  ReadOptions,
  RunCount,
  SampleBox,
  Source,
  StatisticsOptions,
  StoredTensor,
  StoredTensorOptions,
  Warehouse,
  WarehouseDrift,
  WarehouseManifest,
  WarehousePicture,
  WarehouseSample,
  WarehouseStatistics,
  WarehouseTensor,
} from "../model/index.js";
import * as argument from "../base/arguments.js";
import { NAMES, known } from "../base/option-names.js";
import { reportOf } from "../base/report.js";
import { call } from "../pool/pool.js";
import { OpenDataset } from "../samples/dataset.js";
import type { Part } from "../samples/check-parts.js";
import type { Pixels } from "../samples/thumbnails.js";
import type { Turn } from "../worker/protocol.js";
import type { Again, WorkerSamples } from "../samples/open-in-worker.js";

/** Samples whose pixels are counted, if nobody says how many. */
const PICTURES = 256;
/** What a warehouse's tensors can be had as. */
const DTYPES = ["f32", "u8", "stored"];
/** What a tensor is asked for with: the rest is done when a warehouse is built. */
const ASKED = ["dtype", "signal", "verify"];

/** What `open` gives for a warehouse. */
export class OpenWarehouse extends OpenDataset implements Warehouse {
  declare readonly format: "warehouse";
  readonly manifest: WarehouseManifest;
  readonly #isWhole: boolean;

  constructor(
    source: Source,
    options: OpenOptions,
    opened: WorkerSamples,
    manifest: WarehouseManifest,
    keepGoing: boolean,
    again: Again,
  ) {
    super(source, options, opened, true, undefined, again);
    this.manifest = manifest;
    this.#isWhole = !keepGoing;
  }

  /** One for each shard, since one checksum is of all of it. */
  protected override parts(workers: number): Part[] {
    if (!this.#isWhole || this.length === 0) return super.parts(workers);
    let start = 0;
    const parts: Part[] = [];
    for (const { samples } of this.manifest.shards) if (samples > 0) parts.push([start, (start += samples)]);
    return parts;
  }

  sample(i: number): Promise<WarehouseSample> {
    return this.run(undefined, async (signal) => {
      this.info(i);
      const { client, handle } = await this.inWorker(signal);
      const sample = reportOf<WarehouseSample>(await call(client, this.name, "warehouseSample", [handle, i]));
      this.named(i, { name: sample.name });
      return sample;
    });
  }

  override tensor(i: number, options?: StoredTensorOptions & { dtype?: "f32" | "u8" }): Promise<WarehouseTensor>;
  override tensor(i: number, options: StoredTensorOptions & { dtype: "stored" }): Promise<StoredTensor>;
  override tensor(i: number, options: StoredTensorOptions = {}): Promise<WarehouseTensor & StoredTensor> {
    const { dtype = "f32", signal } = options;
    const other = Object.keys(options).find((name) => !ASKED.includes(name));
    if (other !== undefined || !DTYPES.includes(dtype)) {
      const what = other ?? `the dtype ${JSON.stringify(dtype)}`;
      const message = `the tensors of a warehouse are as they were built: there is ${ASKED.join(", ")} (${DTYPES.join(", ")}), and not ${what}`;
      return Promise.reject(hostError("usage.argument", message, { file: this.name }));
    }
    return this.run(signal, async (inner) => {
      const { width, height } = this.info(i);
      const bytes = await this.payload(i, false, inner);
      const { client, handle } = await this.inWorker(inner);
      const data = await call(
        client,
        this.name,
        "warehouseTensor",
        [handle, i, bytes, dtype],
        [bytes.buffer as ArrayBuffer],
      );
      const stored = data instanceof Float32Array ? "f32" : data instanceof Uint16Array ? "f16" : "u8";
      return { data, dtype: stored, width, height, shape: [3, height, width] } as WarehouseTensor & StoredTensor;
    });
  }

  async picture(i: number, options: ReadOptions = {}): Promise<WarehousePicture> {
    known(argument.options(options, "how to read"), NAMES.read, "picture");
    return this.run(options.signal, async (signal) => {
      const { width, height } = this.info(i);
      const bytes = await this.payload(i, false, signal);
      const { client, handle } = await this.inWorker(signal);
      const found = await call(
        client,
        this.name,
        "warehousePicture",
        [handle, i, bytes],
        [bytes.buffer as ArrayBuffer],
      );
      const [x, y, w, h] = found.content as [number, number, number, number];
      return {
        data: new Uint8ClampedArray(found.pixels.buffer as ArrayBuffer, found.pixels.byteOffset, width * height * 4),
        width,
        height,
        content: { x, y, width: w, height: h },
        contentFrom: this.manifest.transform.resizeMode === "letterbox" ? "pixels" : "manifest",
      };
    });
  }

  protected override async pixels(i: number, signal: AbortSignal): Promise<Pixels> {
    const { data, width, height } = await this.picture(i, { signal });
    const rgb = new Uint8Array(width * height * 3);
    for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3)
      [rgb[to], rgb[to + 1], rgb[to + 2]] = [data[from]!, data[from + 1]!, data[from + 2]!];
    return { rgb, width, height };
  }

  override async boxes(i: number, options: ReadOptions = {}): Promise<SampleBox[]> {
    const record = (await this.record(i, options)) as unknown as {
      boxes: { box: SampleBox["box"]; class?: number; label?: string }[];
    };
    return record.boxes.map(({ box, class: number, label }) => ({ box, class: number ?? null, label: label ?? null }));
  }

  async statistics(options: StatisticsOptions = {}): Promise<WarehouseStatistics> {
    return reportOf<WarehouseStatistics>(await this.survey(options));
  }

  async drift(earlier: Warehouse, options: StatisticsOptions = {}): Promise<WarehouseDrift> {
    if (!(earlier instanceof OpenWarehouse))
      throw hostError("usage.argument", "a warehouse is compared with another warehouse");
    const [old, now] = [await earlier.survey(options), await this.survey(options)];
    const { client } = await this.inWorker(options.signal);
    return reportOf<WarehouseDrift>(await call(client, this.name, "warehouseDrift", [old, now]));
  }

  /** What is counted, as the module says it. */
  async survey(options: StatisticsOptions): Promise<string> {
    known(argument.options(options, "what is counted"), NAMES.statistics, "statistics");
    const { pictures = PICTURES, signal, onProgress } = options;
    return this.run(signal, async (inner) => {
      argument.whole(pictures, "how many images are looked at");
      const { client, handle } = await this.inWorker(inner);
      const id = await call(client, this.name, "warehouseSurvey", [handle, pictures]);
      const onTurn = (turn: Turn, bytes: number) =>
        onProgress?.({ samples: turn.done, totalSamples: this.length, bytes, totalBytes: null });
      const text = await this.finish(client, id, { signal: inner, onTurn, readsItself: true }, () =>
        call(client, this.name, "text", [id]),
      );
      return text ?? "{}";
    });
  }

  runs(): Promise<RunCount[]> {
    return this.run(undefined, async (signal) => {
      const { client, handle } = await this.inWorker(signal);
      return JSON.parse(await call(client, this.name, "warehouseRuns", [handle])) as RunCount[];
    });
  }
}

/** Whether a dataset is a warehouse. */
export function isWarehouse(opened: object): opened is Dataset & Warehouse {
  return opened instanceof OpenWarehouse;
}
