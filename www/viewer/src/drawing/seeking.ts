/** Goes on to the next image of a kind. Fetched when editing begins. */
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import type { Annotations } from "../../../lib/src/base/boxes.ts";
import type { FindBoxes } from "../samples/box-source.ts";
import { walkRecords } from "../samples/walk.ts";
import type { Rows } from "../ui/rows.ts";
import type { Wanted } from "./keys.ts";
import { msg } from "../messages/editing.ts";

/** What it needs of the page. */
interface Page {
  readonly data: () => Dataset | null;
  readonly rows: () => Rows;
  readonly open: () => number | null;
  readonly show: (i: number) => void;
  readonly signal: () => AbortSignal;
  readonly say: (text: string) => void;
}

/** Samples whose metadata is read at once. */
const AT_ONCE = 64;

/** Opens the first sample behind the open one that is such. */
export function go(of: Page, holds: (i: number) => boolean, none: string): void {
  for (const i of behind(of)) if (i !== of.open() && holds(i)) return of.show(i);
  of.say(none);
}
/** The samples behind the open one, in the order in which they are shown; after the last comes the first. */
function* behind(of: Page): Iterable<number> {
  const [rows, open] = [of.rows(), of.open()];
  const from = open === null ? -1 : rows.find(open);
  for (let k = 1; k < rows.length + (from < 0 ? 1 : 0); k++) yield rows.at((from + k) % rows.length);
}

/** The same, where the metadata says it: it is read as far as that takes. */
export async function seek(of: Page, find: FindBoxes, wanted: Wanted, label: string): Promise<void> {
  const [data, open] = [of.data(), of.open()];
  if (!data || open === null) return;
  const holds = ({ boxes, looked }: Annotations): boolean =>
    wanted === "class" ? boxes.some((box) => box.label === label) : boxes.length === 0 && !looked;
  const look = async (some: readonly number[]): Promise<boolean> => {
    const such = new Set<number>();
    const visit = (i: number, record: Json): void => {
      const { width, height } = data.info(i);
      if (holds(find(i, record, width, height))) such.add(i);
    };
    await walkRecords(data, visit, { signal: of.signal(), samples: Uint32Array.from(some).sort() });
    // Somebody went on meanwhile.
    if (of.data() !== data || of.open() !== open) return true;
    const next = some.find((i) => such.has(i));
    if (next !== undefined) of.show(next);
    return next !== undefined;
  };
  let some: number[] = [];
  for (const i of behind(of)) {
    some.push(i);
    if (some.length < AT_ONCE) continue;
    if (await look(some)) return;
    some = [];
  }
  if (!(await look(some))) of.say(msg("noImageFound"));
}
