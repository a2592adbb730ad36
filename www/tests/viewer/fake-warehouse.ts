/** A warehouse and labels made of nothing, as the package gives them, for tests of the viewer alone. */
import type {
  Dataset,
  Json,
  LabelAnnotation,
  Project,
  ReadLabels,
  SampleInfo,
  Sink,
  Warehouse,
  WarehouseDrift,
  WarehouseManifest,
} from "../../lib/src/model/index.ts";
import type { LabelEngine } from "../../viewer/src/files/engine.ts";

const SIZE = 96;
const RUNS = ["run_a", "run_b", "run_c"];
const CLASSES = ["boat", "buoy"];

function manifestOf(breaks: boolean): WarehouseManifest {
  const run = (runDir: string, total: number, empty: number, invalid: number) => ({
    runDir,
    total,
    nonEmpty: total - empty,
    empty,
    missingImage: 0,
    missingFile: 1,
    invalid,
  });
  return {
    datasetRoot: "/data/<b>captures</b>",
    transform: { targetSize: [SIZE, SIZE], resizeMode: "letterbox", maxBoxes: 16 },
    version: "ab".repeat(32),
    versionRecipe: "made up",
    versionKey: null,
    peerVersion: null,
    codeVersion: "1",
    defaultDtype: "u8",
    createdAtMs: 1.7e12,
    shards: [],
    summary: {
      runs: [run("run_a", 20, 2, 0), run("run_b", 10, 1, 3)],
      totals: { ...run("", 30, 3, 3), missingFile: 2 },
    },
    thresholds: {
      maxInvalid: breaks ? 2 : 5,
      maxMissing: null,
      maxEmpty: null,
      maxInvalidRatio: null,
      maxMissingRatio: null,
      maxEmptyRatio: 0.5,
    },
    violations: breaks ? ["3 frames are invalid, and 2 may be"] : [],
    classes: CLASSES,
    other: {},
  };
}

/** Pictures between bars on the left and on the right; `broken` in the name breaks a threshold. */
export function fakeWarehouse(name: string, length: number): Dataset {
  const info = (index: number): SampleInfo => ({
    index,
    format: "unknown",
    mime: "application/octet-stream",
    extension: "bin",
    width: SIZE,
    height: SIZE,
    bytes: SIZE * SIZE * 3,
    storedBytes: SIZE * SIZE * 3,
    offset: index * SIZE * SIZE * 3,
    codec: "none",
    damaged: false,
  });
  const nameOf = (i: number): string => `${RUNS[i % 3]}/frame_${String(i).padStart(5, "0")}`;
  const record = (i: number): Json => ({
    name: nameOf(i),
    run: RUNS[i % 3]!,
    frame_id: i,
    boxes: [{ box: [0.3, 0.25, 0.6, 0.75], class: i % 2, label: CLASSES[i % 2]! }],
  });
  const column = (value: number): Uint32Array => new Uint32Array(length).fill(value);
  const dataset: Partial<Warehouse> = {
    kind: "samples",
    format: "warehouse",
    name,
    length,
    byteLength: length * SIZE * SIZE * 3,
    telemetry: { requests: 2, bytesRead: 100, byteLength: 1e6 } as Dataset["telemetry"],
    damage: null,
    growing: false,
    whole: Promise.resolve(),
    fromStore: false,
    manifest: manifestOf(name.includes("broken")),
    metadata: { notes: [] },
    schema: [{ name: "width", type: "integer", indexed: true }],
    info,
    nameOf,
    columns: () => ({
      width: column(SIZE),
      height: column(SIZE),
      bytes: Float64Array.from(column(SIZE * SIZE * 3)),
      storedBytes: Float64Array.from(column(SIZE * SIZE * 3)),
      offset: Float64Array.from(column(0)),
      format: new Uint8Array(length),
      codec: new Uint8Array(length),
    }),
    record: async (i) => record(i),
    document: async () => ({}),
    bytes: async (i) => new Uint8Array(info(i).bytes),
    blob: async (i) => new Blob([new Uint8Array(info(i).bytes)]),
    prefetch: async () => undefined,
    async picture() {
      const data = new Uint8ClampedArray(SIZE * SIZE * 4);
      for (let k = 0; k < data.length; k += 4) data.set([200, 40, 40, 255], k);
      const content = { x: 24, y: 0, width: SIZE - 48, height: SIZE };
      return { data, width: SIZE, height: SIZE, content, contentFrom: "pixels" };
    },
    async matches(where) {
      const run = /^run == "(\w+)"$/.exec(where)?.[1];
      return Uint32Array.from({ length }, (_, i) => i).filter((i) => RUNS[i % 3] === run);
    },
    stats: async (o) =>
      ({
        classes: {
          distinct: 3,
          other: 0,
          unlabelled: 0,
          top: RUNS.map((label, k) => ({
            label,
            samples: o?.where && !o.where.includes(label) ? 0 : Math.ceil((length - k) / 3),
          })),
        },
      }) as unknown as Awaited<ReturnType<Dataset["stats"]>>,
    async drift(earlier, options) {
      if (earlier.name?.includes("other"))
        throw Object.assign(new Error("it has <b>no</b> boxes"), { code: "warehouse.box" });
      options?.onProgress?.({ samples: 3, totalSamples: length, bytes: 0, totalBytes: null });
      return fakeDrift(earlier.length, length);
    },
    check: async () => ({ ok: true, samples: length, faultCount: 0, faults: [], notes: [] }),
    close: () => undefined,
  };
  return dataset as Dataset;
}

function fakeDrift(before: number, now: number): WarehouseDrift {
  const parts = [
    { name: "boat", old: 60, new: 20 },
    { name: "<i>buoy</i>", old: 40, new: 80 },
  ];
  return {
    versions: ["ab".repeat(32), "cd".repeat(32)],
    samples: [before, now],
    boxes: [100, 100],
    rows: [
      {
        name: "classes",
        kind: "shares",
        distance: 0.3046,
        chance: 0.05,
        old: null,
        new: null,
        values: [100, 100],
        parts,
      },
      {
        name: "red_mean",
        kind: "number",
        distance: 0.01,
        chance: null,
        old: 0.4,
        new: 0.41,
        values: [9, 9],
        parts: [],
      },
      { name: "runs", kind: "shares", distance: null, chance: null, old: null, new: null, values: [0, 0], parts: [] },
    ],
    notes: ["1 class is new: <i>buoy</i>"],
  };
}

/** Labels of `00000000.png` to `00000002.png`, and of a picture that nobody has; a file named `bad…` has none. */
export const fakeLabels: LabelEngine = {
  async project(input) {
    return JSON.parse(await input.text()) as Project;
  },
  async read(_input, options) {
    if (options?.name?.startsWith("bad"))
      throw Object.assign(new Error("line 3: <b>this</b> is not a number"), { code: "labels.syntax" });
    const one = (k: number): LabelAnnotation => ({ box: [10, 20, 60, 90], class: k % 2 });
    const picture = (name: string, k: number) => ({ name, annotations: [one(k)] });
    return {
      format: "coco",
      classes: [{ name: "whale" }, { name: "seal" }],
      pictures: [
        ...[0, 1, 2].map((k) => picture(`train/${String(k).padStart(8, "0")}.png`, k)),
        picture("nobody/<i>x</i>.png", 0),
      ],
      notes: { counts: [], texts: [], more: 0 },
    } satisfies ReadLabels;
  },
  async match(samples, images) {
    return Int32Array.from(samples, (name) => images.findIndex((image) => image.endsWith(`/${name}`)));
  },
  async of(dataset, options) {
    const indexes = options?.indexes ? [...(options.indexes as number[])] : [...Array(dataset.length).keys()];
    return { classes: [], pictures: indexes.map((i) => ({ name: `${i}.png`, annotations: [] })) };
  },
  async write(labels, format, output) {
    const text = new TextEncoder().encode(`${format} ${labels.pictures.length}`);
    if ("put" in output) for (const { name } of labels.pictures) await output.put(`labels/${name}.txt`, text);
    else await (output as Sink).write(0, text);
    const losses = [{ cause: "scores", meaning: "scores that were left out", count: 2 }];
    return { files: "put" in output ? labels.pictures.length : 1, bytes: text.length, losses };
  },
  /** Of `direct…` by itself, of `partly…` of all but one picture, of `slowly…` never to its end, of `guess…` once it hears what they mean. */
  async export(of, format, output, options) {
    const kind = /^(direct|partly|slowly|guess)/.exec(of.name ?? "")?.[0];
    if (!kind) throw Object.assign(new Error("no sample has annotations in its metadata"), { code: "label.format" });
    if (kind === "guess" && !options?.boxes)
      throw Object.assign(new Error("four numbers could mean several things"), { code: "label.ambiguous", sample: 0 });
    const pictures = options?.indexes ? [...(options.indexes as number[])].length : (of as Dataset).length;
    options?.onProgress?.({ samples: 7, totalSamples: pictures, bytes: 0, totalBytes: null });
    if (kind === "slowly")
      await new Promise((_, reject) =>
        options?.signal?.addEventListener("abort", () => reject(options.signal?.reason)),
      );
    const text = new TextEncoder().encode(`${format} ${pictures} directly${options?.boxes ?? ""}`);
    if ("put" in output) await output.put("labels/all.txt", text);
    else await (output as Sink).write(0, text);
    const losses = [{ cause: "scores", meaning: "scores that were left out", count: 2 }];
    const notes = { counts: [], texts: [], more: 0 };
    const unlabelled = kind === "partly" ? 1 : 0;
    return { files: 1, bytes: text.length, pictures, annotations: 0, unlabelled, losses, notes };
  },
};
