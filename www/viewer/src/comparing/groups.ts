/** What differs between two versions of a dataset, sorted into groups that people look at one by one. */
import type { Difference } from "../../../lib/src/model/index.ts";

/** Kinds of differences, in the order in which they are shown. */
export const KINDS = ["added", "removed", "picture", "boxes", "metadata"] as const;
export type Kind = (typeof KINDS)[number];

/** A sample that differs, by its numbers on both sides. */
export interface Entry {
  /** In the dataset that is open; `null` of what is new in the other. */
  readonly a: number | null;
  readonly b: number | null;
  readonly name: string | null;
  readonly kinds: readonly Kind[];
  /** Fields of the metadata that differ. */
  readonly fields: readonly string[];
}

/** Fields that hold what is drawn over a picture, in the record, in the file beside the picture, or in what a program calls metadata. */
const BOXES =
  /^(?:(?:json|metadata)\.)?(?:boxes|annotations|annotations_size|annotations_format|objects?|detections|bbox(?:es)?)$|^(?:txt|yolo|xml)$/;

/** Every sample that differs: changed ones in the order of the open dataset, then what left it, then what is new. */
export function entriesOf({ changed, onlyInA, onlyInB }: Difference): Entry[] {
  return [
    ...changed.map(({ a, b, name, what, fields }): Entry => {
      const boxes = fields.some((field) => BOXES.test(field));
      const others = fields.some((field) => !BOXES.test(field));
      return {
        a,
        b,
        name,
        fields,
        kinds: [
          ...(what.includes("payload") ? (["picture"] as const) : []),
          ...(boxes ? (["boxes"] as const) : []),
          ...(others ? (["metadata"] as const) : []),
        ],
      };
    }),
    ...onlyInA.map(({ i, name }): Entry => ({ a: i, b: null, name, kinds: ["removed"], fields: [] })),
    ...onlyInB.map(({ i, name }): Entry => ({ a: null, b: i, name, kinds: ["added"], fields: [] })),
  ];
}

/** How many there are of each kind; kinds that there are none of are left out. */
export function countsOf(entries: readonly Entry[]): Map<Kind, number> {
  const counts = new Map<Kind, number>();
  for (const kind of KINDS) {
    const some = entries.filter(({ kinds }) => kinds.includes(kind)).length;
    if (some > 0) counts.set(kind, some);
  }
  return counts;
}

/** The difference as `forebay diff --json` says it. */
export const asJson = (found: Difference, samples: readonly [a: number, b: number]): string =>
  JSON.stringify({
    same: found.same,
    a_samples: samples[0],
    b_samples: samples[1],
    equal: found.equal,
    changed: found.changed.map(({ a, b, name, what }) => ({ a, b, name, what })),
    only_in_a: found.onlyInA,
    only_in_b: found.onlyInB,
  });
