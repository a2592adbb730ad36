import { camelCase } from "../base/report.js";
import type { Json, WarehouseCounts, WarehouseManifest, WarehouseShard } from "../model/index.js";

type Fields = { [key: string]: Json };

/** The fields that {@link WarehouseManifest} has by themselves, as the file calls them. */
const KNOWN = [
  "dataset_root",
  "transform",
  "version",
  "version_recipe",
  "code_version",
  "default_dtype",
  "default_shard_version",
  "created_at_ms",
  "shards",
  "summary",
  "thresholds",
  "version_key",
  "peer_version",
  "classes",
];
const THRESHOLDS = [
  "max_invalid",
  "max_missing",
  "max_empty",
  "max_invalid_ratio",
  "max_missing_ratio",
  "max_empty_ratio",
];

const renamed = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]));
const lower = (word: Json): string => String(word).toLowerCase();

/** What the module says of a manifest, in the words of JavaScript. */
export function manifestOf(about: string): WarehouseManifest {
  const { manifest, violations } = JSON.parse(about) as { manifest: Fields; violations: string[] };
  const transform = manifest.transform as Fields;
  const summary = manifest.summary as Fields;
  const shard = (entry: Json) => {
    const fields = entry as Fields;
    return {
      ...renamed(fields),
      checksumSha256: fields.checksum_sha256 ?? null,
      dtype: lower(fields.dtype!),
      boxesDtype: lower(fields.boxes_dtype ?? (fields.dtype as string)),
      endianness: lower(fields.endianness!),
    } as unknown as WarehouseShard;
  };
  return {
    datasetRoot: manifest.dataset_root as string,
    transform: {
      targetSize: (transform.target_size ?? null) as [number, number] | null,
      resizeMode: lower(transform.resize_mode!) as "force" | "letterbox",
      maxBoxes: transform.max_boxes as number,
    },
    version: manifest.version as string,
    versionRecipe: manifest.version_recipe as string,
    versionKey: (manifest.version_key ?? null) as string | null,
    peerVersion: (manifest.peer_version ?? null) as string | null,
    codeVersion: manifest.code_version as string,
    defaultDtype: lower(manifest.default_dtype!) as WarehouseManifest["defaultDtype"],
    createdAtMs: manifest.created_at_ms as number,
    shards: (manifest.shards as Json[]).map(shard),
    summary: {
      runs: (summary.runs as Fields[]).map(renamed) as unknown as WarehouseCounts[],
      totals: renamed(summary.totals as Fields) as unknown as WarehouseCounts,
    },
    thresholds: renamed(
      Object.fromEntries(THRESHOLDS.map((name) => [name, (manifest.thresholds as Fields)[name] ?? null])),
    ) as unknown as WarehouseManifest["thresholds"],
    violations,
    classes: (manifest.classes ?? null) as string[] | null,
    other: Object.fromEntries(Object.entries(manifest).filter(([name]) => !KNOWN.includes(name))),
  };
}
