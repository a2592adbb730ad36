/** A dataset made of nothing: the package's interface over numbers and drawn pictures, for tests of the viewer alone. */
import type {
  CheckReport,
  ConvertSummary,
  TableConvertSummary,
  Dataset,
  IndexColumns,
  Json,
  OpenProgress,
  SampleInfo,
  Stats,
} from "../../lib/src/model/index.ts";
import { valueAt } from "../../lib/src/base/metadata-path.ts";
import { sorted } from "../../lib/src/samples/sort.ts";
import type { Engine } from "../../viewer/src/files/engine.ts";
import { fakeLabels, fakeWarehouse } from "./fake-warehouse.ts";
import { fakeTable } from "./fake-table.ts";

const CLASSES = ["boat", "buoy", "gull", "pier"];
/** What a file named `turn…` has in all its names: it turns text around, and controls a terminal. */
const TURNS = "gnp\u202e\u2066\u001b[1m";
const abort = (signal?: AbortSignal): void => signal?.throwIfAborted();
const random = (i: number): number => (Math.imul(i + 1, 2654435761) >>> 0) / 2 ** 32;
const fail = (code: string, message: string, offset?: number): Error =>
  Object.assign(new Error(message), { code, offset, kind: "usage" });

function columnsOf(length: number): IndexColumns {
  const columns = {
    width: new Uint32Array(length),
    height: new Uint32Array(length),
    bytes: new Float64Array(length),
    storedBytes: new Float64Array(length),
    offset: new Float64Array(length),
    format: new Uint8Array(length),
    codec: new Uint8Array(length),
  };
  for (let i = 0; i < length; i++) {
    const r = random(i);
    columns.width[i] = 160 + Math.floor(r * r * 900);
    columns.height[i] = 120 + Math.floor(random(i * 7) * 600);
    columns.bytes[i] = columns.storedBytes[i] = 4000 + Math.floor(r * 180_000);
    columns.offset[i] = i * 190_000;
    columns.format[i] = i % 11 === 3 ? 2 : i % 29 === 5 ? 3 : 1;
  }
  return columns;
}

async function picture(i: number, width: number, height: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const g = canvas.getContext("2d")!;
  const hue = Math.floor(random(i) * 360);
  const sky = g.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, `hsl(${hue} 60% 78%)`);
  sky.addColorStop(1, `hsl(${(hue + 40) % 360} 55% 42%)`);
  g.fillStyle = sky;
  g.fillRect(0, 0, width, height);
  g.fillStyle = `hsl(${(hue + 180) % 360} 70% 55%)`;
  for (const [x, y, w, h] of boxesOf(i, width, height)) {
    g.beginPath();
    g.ellipse(x! + w! / 2, y! + h! / 2, w! / 2, h! / 2, 0, 0, 7);
    g.fill();
  }
  return canvas.convertToBlob({ type: "image/png" });
}
const boxesOf = (i: number, width: number, height: number): number[][] =>
  Array.from({ length: 1 + (i % 3) }, (_, k) =>
    [width * (0.1 + 0.28 * k), height * (0.2 + 0.15 * random(i + k)), width * 0.24, height * 0.34].map(Math.round),
  );

/** A hundredth of the columns more every 20 milliseconds, until all are there. */
function grow(
  dataset: Dataset,
  all: IndexColumns,
  told: ((p: OpenProgress) => void) | undefined,
  ended: () => boolean,
): void {
  const total = all.format.length;
  let known = 0;
  let done: () => void;
  const state = { growing: true, whole: new Promise<void>((resolve) => (done = resolve)) };
  Object.defineProperties(dataset, {
    length: { get: () => known },
    growing: { get: () => state.growing },
    whole: { get: () => state.whole },
    columns: {
      value: () =>
        Object.fromEntries(
          Object.entries(all).map(([name, column]) => [name, (column as Uint32Array).subarray(0, known)]),
        ),
    },
  });
  const step = (): void => {
    if (ended()) return;
    known = Math.min(total, known + Math.ceil(total / 100));
    state.growing = known < total;
    told?.({ bytes: known * 1000, totalBytes: total * 1000, samples: known });
    if (state.growing) setTimeout(step, 20);
    else done();
  };
  step();
}

/**
 * An engine with datasets of as many samples as the name says: `1000.tbl`, `10000000.tbl`, `bad.tbl`; one that grows
 * is `grow5000.tar`; a table is `1000.tbf`.
 */
export const fake: Engine = {
  // Of a folder named `captures` it is a warehouse's.
  droppedFiles: async ({ items }) => {
    const path = items[0]?.webkitGetAsEntry()?.name.startsWith("captures") ? "manifest.json" : "classes.txt";
    return [{ path, input: new Blob(["{}"]) }];
  },
  labels: fakeLabels,
  async open(input, options) {
    const name = options?.name ?? (input instanceof File ? input.name : String(input));
    if (name.startsWith("bad"))
      throw Object.assign(fail("tbl.magic", "index, byte 0: <b>this</b> is not a TBL [tbl.magic]"), {
        kind: "damaged",
      });
    const length = Number(name.match(/\d+/)?.[0] ?? 500);
    if (name.endsWith(".tbf")) return fakeTable(name, length);
    if (/manifest|warehouse|captures/.test(name)) return fakeWarehouse(name, length);
    const turn = name.startsWith("turn") ? TURNS : "";
    const classes = CLASSES.map((label) => label + turn);
    const columns = columnsOf(length);
    let closed = false;
    const telemetry = { requests: 2, bytesRead: 64 + 24 * length, byteLength: length * 190_000 + 64 };
    const info = (i: number): SampleInfo => ({
      index: i,
      format: (["unknown", "jpeg", "png", "webp"] as const)[columns.format[i]!]!,
      mime: "image/png",
      extension: "png",
      width: columns.width[i]!,
      height: columns.height[i]!,
      bytes: columns.bytes[i]!,
      storedBytes: columns.storedBytes[i]!,
      offset: columns.offset[i]!,
      codec: "none",
      damaged: false,
    });
    const read = async <T>(i: number, make: () => Promise<T> | T, signal?: AbortSignal): Promise<T> => {
      abort(signal);
      telemetry.requests++;
      telemetry.bytesRead += columns.bytes[i]!;
      return make();
    };
    const named = new Set<number>();
    const record = (i: number): Json => ({
      name: `train/${String(i).padStart(8, "0")}.png${turn}`,
      cls: i % CLASSES.length,
      json: {
        label: classes[i % CLASSES.length]!,
        [`key${turn}`]: [turn],
        note: "<img src=x onerror=alert(1)>",
        boxes: boxesOf(i, columns.width[i]!, columns.height[i]!).map((bbox, k) => ({
          label: classes[(i + k) % CLASSES.length]!,
          bbox,
          // COCO's word, which says what the four numbers are; a file named `guess…` does not say it.
          ...(!name.startsWith("guess") && { iscrowd: 0 }),
        })),
      },
    });
    const dataset: Partial<Dataset> = {
      kind: "samples",
      format: name.endsWith(".tar") ? "tar" : "tbl",
      length,
      name,
      byteLength: telemetry.byteLength,
      telemetry,
      damage: null,
      growing: false,
      whole: Promise.resolve(),
      fromStore: false,
      metadata: { layout: "guide", compression: "none", metadataFormat: "json", notes: turn ? [turn] : [] },
      schema: ["index", "name", "format", "width", "height", "aspect", "pixels", "bytes", "stored_bytes"].map(
        (field) => ({
          name: field,
          type: field === "name" || field === "format" ? "string" : "integer",
          indexed: field !== "name" || !!turn || name.endsWith(".tar"),
        }),
      ),
      // A TBL's names are in the metadata: only those are known that were read.
      info,
      columns: () => columns,
      nameOf: (i) =>
        turn
          ? `${i}${turn}.png`
          : name.endsWith(".tar") || named.has(i)
            ? `${String(i).padStart(8, "0")}.png`
            : undefined,
      blob: (i, o) => read(i, () => picture(i, columns.width[i]!, columns.height[i]!), o?.signal),
      bytes: (i, o) =>
        read(
          i,
          () => {
            if (i % 97 === 13) throw fail("tbl.payload_crc", "the payload's checksum differs");
            return new TextEncoder().encode(`sample ${i} `.repeat(80));
          },
          o?.signal,
        ),
      document: async () => ({}),
      record(i, o) {
        const found = () => {
          named.add(i);
          return record(i);
        };
        return read(i, found, o?.signal);
      },
      prefetch: async () => undefined,
      async *records({ indexes, fields, signal, onProgress } = {}) {
        const chosen = Uint32Array.from((indexes as ArrayLike<number>) ?? Array.from({ length }, (_, i) => i));
        for (let at = 0; at < chosen.length; at += 256) {
          abort(signal);
          // A page that reads much stays a page.
          if (at % 4096 === 3840) await new Promise((go) => setTimeout(go));
          const some = chosen.slice(at, at + 256);
          const picked = (i: number): Json =>
            fields ? Object.fromEntries(fields.map((path) => [path, valueAt(record(i), path) ?? null])) : record(i);
          for (const i of some) named.add(i);
          yield { indexes: some, records: Array.from(some, picked) };
          onProgress?.({ samples: at + some.length, totalSamples: chosen.length, bytes: 0, totalBytes: null });
        }
      },
      sort: (by, how = {}) => sorted(dataset as Dataset, by, how),
      // Every tenth is a copy of the one before, and every hundredth of two before.
      async duplicates({ distance = 6, signal, onProgress } = {}) {
        abort(signal);
        const alike = (index: number, distance: number) => {
          const { width, height, bytes } = info(index);
          return { index, distance, exact: distance === 0, width, height, bytes };
        };
        const groups = [];
        for (let i = 10; i < length; i += 10)
          groups.push([alike(i - 1, 0), alike(i, distance && 3), ...(i % 100 === 0 ? [alike(i - 2, 0)] : [])]);
        onProgress?.({ samples: length, totalSamples: length, bytes: 0, totalBytes: null });
        const duplicates = groups.reduce((sum, group) => sum + group.length - 1, 0);
        return { samples: length, notPictures: 0, plain: 1, duplicates, groups, faultCount: 0, faults: [] };
      },
      async outliers({ signal } = {}) {
        abort(signal);
        const reason = { value: 3, median: 120, score: 6, trait: "brightness" } as const;
        const outliers = [7, 21].map((index, k) => ({
          index,
          reasons: [{ ...reason, reason: k === 0 ? ("dark" as const) : ("bright" as const) }],
        }));
        const fault = {
          code: "image.damaged",
          kind: "damaged",
          message: "broken",
          section: "payload",
          sample: 13,
          offset: null,
        };
        const traits = [{ trait: "brightness" as const, samples: length, median: 120, outliers: 2 }];
        return { samples: length, notPictures: 0, traits, outliers, faultCount: 1, faults: [fault] };
      },
      // The last fifth is for validation, and the classes are those of the names.
      async divide({ parts, by }) {
        if (by && valueAt(record(0), by) === undefined)
          throw fail("usage.argument", "no sample has a class in the field that was named for it");
        const train = Math.floor(length * (Object.values(parts)[0] ?? 1));
        const numbers = Uint32Array.from({ length }, (_, i) => i);
        const made = Object.keys(parts).map((part, k) => {
          const samples = k === 0 ? numbers.slice(0, train) : k === 1 ? numbers.slice(train) : new Uint32Array();
          const label = (one: string, at: number) => ({
            label: one,
            samples: samples.filter((i) => i % CLASSES.length === at).length,
          });
          return { part, samples, classes: by ? classes.map(label) : [] };
        });
        return { parts: made, groups: 2, faultCount: 0, faults: [] };
      },
      async matches(where, o) {
        abort(o?.signal);
        (globalThis as { asked?: string[] }).asked?.push(where);
        const label = /^json\.label == "(\w+)"$/.exec(where)?.[1];
        if (label !== undefined)
          return Uint32Array.from({ length }, (_, i) => i).filter((i) => classes[i % CLASSES.length] === label);
        // A field that nobody has is null everywhere.
        if (/^[a-z.]+$/.test(where)) return new Uint32Array();
        const m =
          where.match(/^\(?(width|height|bytes) >= (\d+)(?: && \w+ < (\d+))?\)?$/) ??
          where.match(/^format == "(\w+)"$/);
        if (!m) throw fail("filter.syntax", `expected an operator, found the end`, where.length);
        // One that takes its time, until it is let go on.
        while (m[2] === "777" && !(globalThis as { goOn?: boolean }).goOn)
          await new Promise((resolve) => setTimeout(resolve, 20));
        const keep: number[] = [];
        for (let i = 0; i < dataset.length!; i++) {
          const it = info(i);
          if (
            m[2] === undefined
              ? it.format === m[1]
              : it[m[1] as "width"] >= Number(m[2]) && it[m[1] as "width"] < Number(m[3] ?? Infinity)
          )
            keep.push(i);
        }
        return Uint32Array.from(keep);
      },
      async stats(o) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        abort(o?.signal);
        if (o?.classField === "torn") throw fail("tbl.metadata", "the metadata is cut off");
        if (o?.classField === "json.shade") {
          const top = Array.from({ length: 150 }, (_, k) => ({ label: `shade ${k}`, samples: 150 - k }));
          return { classes: { distinct: 400, other: 0, unlabelled: 0, top } } as unknown as Stats;
        }
        return {
          classes: {
            distinct: 4,
            other: 0,
            unlabelled: 0,
            top: classes.map((label, k) => ({ label, samples: Math.ceil((length - k) / 4) })),
          },
        } as unknown as Stats;
      },
      async check(o) {
        for (let k = 1; k <= 5; k++) {
          await new Promise((resolve) => setTimeout(resolve, 30));
          abort(o?.signal);
          o?.onProgress?.({ samples: (length * k) / 5, totalSamples: length, bytes: k, totalBytes: 5 });
        }
        const faults = [13, 110, 207]
          .filter((i) => i < length)
          .map((sample) => ({
            code: "tbl.payload_crc",
            message: `the payload's checksum differs${turn}`,
            kind: "damaged",
            section: "payload",
            sample,
            ...(turn && { member: turn }),
            offset: sample * 190_000,
          }));
        return {
          ok: faults.length === 0,
          samples: length,
          faultCount: faults.length,
          faults,
          notes: [],
        } satisfies CheckReport;
      },
      close: () => void (closed = true),
    };
    if (name.startsWith("grow"))
      grow(dataset as Dataset, columns, options?.onProgress, () => closed || !!options?.signal?.aborted);
    return dataset as Dataset;
  },
  check: async () => ({
    ok: false,
    samples: 3,
    faultCount: 1,
    notes: [],
    faults: [
      {
        code: "table.row",
        message: "line 3: 1 fields where there are 2 columns",
        kind: "damaged",
        section: null,
        sample: null,
        offset: null,
      },
    ],
  }),
  async writeThumbs(dataset, output, options) {
    options?.onProgress?.({ samples: 1, totalSamples: dataset.length, bytes: 10, totalBytes: null });
    return fake.convert(dataset, output, { to: "tbl" }) as Promise<ConvertSummary>;
  },
  // Samples 1 and 2 changed, 3 left, and the last of the other is new.
  async diff(a, b, options) {
    options?.onProgress?.({ samples: a.length, totalSamples: a.length, bytes: 0, totalBytes: null });
    if (a.length === b.length)
      return { same: true, by: "name", equal: a.length, changed: [], onlyInA: [], onlyInB: [] };
    return {
      same: false,
      by: "name",
      equal: a.length - 3,
      changed: [
        { a: 1, b: 1, name: "train/1.png", what: ["payload", "metadata"], fields: ["json.boxes"] },
        { a: 2, b: 2, name: null, what: ["metadata"], fields: ["json.label", "cls"] },
      ],
      onlyInA: [{ i: 3, name: "train/3.png" }],
      onlyInB: [{ i: b.length - 1, name: "<i>new.png" }],
    };
  },
  async convert(_source, _output, options) {
    for (let k = 1; k <= 20; k++) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      abort(options.signal);
      options.onProgress?.({ samples: k * 50, totalSamples: 1000, bytes: k * 1e6, totalBytes: 2e7 });
    }
    return {
      samples: 1000,
      inputBytes: 2e7,
      outputBytes: 1.9e7,
      payloadBytes: 2e7,
      storedBytes: 1.9e7,
      compressedSamples: 12,
      skippedMembers: 0,
      faults: [],
      rows: 1000,
      columns: 36,
      skippedRows: 2,
      notes: ['column "my tag": vector<f32, 3> becomes string', "line 3: <b>1</b> fields where there are 36 columns"],
    } satisfies ConvertSummary & TableConvertSummary;
  },
};
