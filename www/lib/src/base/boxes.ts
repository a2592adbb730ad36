/**
 * Boxes and outlines in a sample's metadata, found by the rule of the core (`annotations::record::find`): where they usually
 * are, in the shapes in which labeling tools leave them. The same records hold both to it (`tests/fixtures/boxes.json`).
 * Where the core refuses what could mean several things until an option says which, this takes what is most likely and says what
 * to ask.
 */
import type { ExportLabelsOptions, Json, LabelAnnotation } from "../model/index.js";
import { extent, maskOf, turned, type Mask } from "./masks.js";
import { isYolo, yoloLines } from "./yolo-lines.js";

/** A box in pixels of the image. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly label: string;
  /** Outlines of the object, each a list of x, y, x, y... */
  readonly outlines: readonly (readonly number[])[];
  /** The object's pixels, if they are known. */
  readonly mask: Mask | null;
  /** Key points: x, y, and 2 if it is seen, 1 if it is hidden, 0 if it is not marked. */
  readonly keypoints?: readonly number[];
  /** How sure its maker is, if that is said. */
  readonly score?: number;
  /** What the label file says of it, if it comes from one. */
  readonly from?: LabelAnnotation;
}

/** What people said that the metadata means, as `exportLabels` takes it. */
export type Meaning = Pick<ExportLabelsOptions, "boxes" | "vocBase" | "task" | "scores">;

/** What four numbers can be, in pixels or, with an `n`, as shares of the picture. */
export const LAYOUTS = ["xywh", "xyxy", "cxcywh", "xywhn", "xyxyn", "cxcywhn"] as const;
export type Layout = (typeof LAYOUTS)[number];
const isLayout = (word: string): word is Layout => (LAYOUTS as readonly string[]).includes(word);

/** The two halves of {@link Meaning.boxes}. */
export function halvesOf({ boxes = "" }: Meaning): { field: string; layout: Layout | null } {
  const at = boxes.lastIndexOf(":");
  const layout = boxes.slice(at + 1);
  return at >= 0 && isLayout(layout) ? { field: boxes.slice(0, at), layout } : { field: boxes, layout: null };
}

/** Something that the file does not state. */
export interface Question {
  readonly about: "layout" | "field" | "vocBase" | "task" | "scores";
  /** What it is taken for: a layout, the path of a field, a number. */
  readonly taken: string;
  /** Somebody said so: nothing is guessed. */
  readonly said: boolean;
  /** Fields that could be meant. */
  readonly fields?: readonly string[];
}

/** What the metadata says is in the picture. */
export interface Annotations {
  /** What can be drawn. */
  readonly boxes: readonly Box[];
  /** How many cannot: they have no area, or their numbers are none. */
  readonly broken: number;
  /** How many of the boxes lie outside of the picture altogether. */
  readonly outside: number;
  /** What is to be known of them besides, each a sentence. */
  readonly notes?: readonly string[];
  /** What the file does not state of the boxes; nothing where they say what they are. */
  readonly questions?: readonly Question[];
  /** Somebody has looked at the picture, and perhaps found nothing in it. */
  readonly looked?: boolean;
  /** Width and height of the picture in whose pixels they are, if that is said. */
  readonly raster?: readonly [number, number];
}

/** Whether nobody has said yet what the numbers mean. */
export const isGuess = ({ questions = [] }: Annotations): boolean => questions.some(({ said }) => !said);

type Fields = { [key: string]: Json };
type Four = [number, number, number, number];

/** More boxes than any eye tells apart are not drawn. */
export const MOST = 20_000;

/** Fields that usually hold boxes, in the record, in the file beside the picture, or in what a program calls metadata. */
const LISTS = ["boxes", "annotations", "objects", "object", "detections", "bboxes", "bbox"];
/** Fields of an object that are its box. */
const BOXES = ["bbox", "box", "rect"];
/** Fields of an object that name its class. */
const NAMES = ["label", "name", "category", "class", "cls", "category_id"];
/** Fields of an object that say how sure its maker is. */
const SCORES = ["score", "confidence"];
/** Fields beside a list of boxes that name their classes, in its order. */
const BESIDE = [
  "labels",
  "classes",
  "categories",
  "category",
  "label",
  "class",
  "names",
  "category_ids",
  "category_id",
];
/** Names of the corners of a box: left, top, right, bottom. */
const CORNERS = [
  ["xmin", "ymin", "xmax", "ymax"],
  ["x1", "y1", "x2", "y2"],
  ["left", "top", "right", "bottom"],
];
/** Names of a place and a size. */
const SIZES = [
  ["x", "y", "w", "h"],
  ["x", "y", "width", "height"],
];
/** Files of lines of YOLO beside the picture. */
const LINES = ["txt", "yolo", "boxes"];
/** Fields of an object that have a list of boxes, and beside it lists of what else is known of each. */
const INNER = ["bbox", "boxes", "bboxes"];

/** Key points as numbers, three of each; nothing where they are none. */
export const keypointsIn = (v: Json | undefined): readonly number[] | null =>
  Array.isArray(v) && v.length > 0 && v.length % 3 === 0 && v.every(Number.isFinite) ? (v as number[]) : null;
const isFields = (v: unknown): v is Fields => typeof v === "object" && v !== null && !Array.isArray(v);
const isFour = (v: unknown): v is Four =>
  Array.isArray(v) && v.length === 4 && v.every((x) => typeof x === "number" && Number.isFinite(x));
const given = (v: Json | undefined): v is Json => v !== undefined && v !== null;
const firstOf = (fields: Fields, keys: readonly string[]): Json | undefined =>
  keys.map((key) => fields[key]).find(given);
/** A number, also as text: what was XML before has only text. */
const number = (v: Json | undefined): number => {
  const n = typeof v === "string" && v.trim() !== "" ? Number(v) : v;
  return typeof n === "number" ? n : Number.NaN;
};
const word = (v: Json | undefined): string =>
  typeof v === "string" ? v : typeof v === "number" ? String(v) : isFields(v) ? word(v.name) : "";

/** Every box that the metadata holds, for an image of this size, and what is wrong with them. */
export function findAnnotations(record: Json, width: number, height: number, meaning: Meaning = {}): Annotations {
  const rule = new Rule(width, height, meaning);
  if (isFields(record)) rule.find(record);
  const boxes = rule.boxes.slice(0, MOST);
  const sized = width > 0 && height > 0;
  const outside = boxes.filter(
    ({ x, y, w, h }) => sized && (x >= width || y >= height || x + w <= 0 || y + h <= 0),
  ).length;
  const { broken, raster, looked } = rule;
  return { boxes, broken, outside, questions: [...rule.questions.values()], looked, ...(raster && { raster }) };
}

/** Where boxes are, and the object that they are a field of. */
interface Place {
  readonly path: string;
  readonly list: Json;
  readonly around: Fields;
}

/** Whether a value holds boxes, or is a list that could; `null` where it is something else. */
function holds(value: Json): boolean | null {
  if (Array.isArray(value)) {
    if (value.length === 0) return false;
    return isFour(value) || value.some((item) => isFour(item) || (isFields(item) && hasPlace(item))) ? true : null;
  }
  if (!isFields(value)) return null;
  const inner = firstOf(value, INNER);
  if (Array.isArray(inner) && inner.length === 0) return false;
  return hasPlace(value) ? true : null;
}

const hasPlace = (fields: Fields): boolean =>
  [...BOXES, "bndbox", "segmentation"].some((key) => key in fields) ||
  [...CORNERS, ...SIZES].some((names) => names.every((name) => name in fields)) ||
  // Run lengths under other names, which only a page draws.
  maskOf(fields.rle ?? fields.mask) !== null;

/** The usual places that have boxes, and those that have a list of none. */
function places(record: Fields): { found: Place[]; empty: Place[] } {
  const [found, empty]: [Place[], Place[]] = [[], []];
  for (const [prefix, around] of [
    ["", record],
    ["json.", record.json],
    ["metadata.", record.metadata],
  ] as const) {
    if (!isFields(around)) continue;
    for (const key of LISTS) {
      const list = around[key];
      const full = given(list) ? holds(list) : null;
      if (full !== null) (full ? found : empty).push({ path: prefix + key, list: list!, around });
    }
  }
  for (const key of LINES) {
    const list = record[key];
    if (typeof list === "string" && isYolo(list)) found.push({ path: key, list, around: record });
  }
  const { xml } = record;
  if (typeof xml === "string" && xml.includes("<annotation")) found.push({ path: "xml", list: xml, around: record });
  return { found, empty };
}

/** The field of a record that has boxes of no convention of Forebay's; nothing where there is none. */
export function foreignBoxes(record: Json): string | null {
  return isFields(record) ? (places(record).found[0]?.path ?? null) : null;
}

/** Takes in what is found. */
class Rule {
  boxes: Box[] = [];
  broken = 0;
  raster: readonly [number, number] | null = null;
  looked = false;
  readonly questions = new Map<string, Question>();
  private readonly field: string;
  private readonly layout: Layout | null;
  /** Names of classes by the numbers that the record itself gives them. */
  private names = new Map<string, string>();
  /** Whether some box was read as pixels for want of any word on its unit. */
  private unnamed = false;
  /** Whether corners had names. */
  private cornered = false;

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly meaning: Meaning,
  ) {
    ({ field: this.field, layout: this.layout } = halvesOf(meaning));
  }
  private ask(about: Question["about"], said: boolean, taken: string, fields?: readonly string[]): void {
    this.questions.set(about, { about, taken, said, ...(fields && { fields }) });
  }
  private askLayout(layout: Layout, said: boolean): void {
    // Numbers without names say less than x and y: what was asked of them first is asked.
    if (this.questions.get("layout")?.said !== false) this.ask("layout", said, layout);
  }

  find(record: Fields): void {
    // What is marked says what it is.
    const marked = [record.json, record].find((at) => isFields(at) && given(at.annotations_format));
    if (isFields(marked)) {
      const [wide, tall] = Array.isArray(marked.annotations_size) ? marked.annotations_size.map(number) : [];
      if (wide! > 0 && tall! > 0) this.raster = [wide!, tall!];
      if (Array.isArray(marked.annotations)) for (const item of marked.annotations) this.item(item, undefined);
      this.questions.clear();
      this.looked = true;
      return;
    }
    const { found, empty } = places(record);
    const paths = found.map(({ path }) => path);
    const place = this.field ? [...found, ...empty].find(({ path }) => path === this.field) : (found[0] ?? empty[0]);
    if (paths.length > 1) this.ask("field", this.field !== "", place?.path ?? this.field, paths);
    if (!place) return;
    this.looked = true;
    this.place(place);
    if (!this.unnamed || this.boxes.length === 0 || !(this.width > 0 && this.height > 0)) return;
    if (!this.boxes.every(({ x, y, w, h }) => x >= 0 && y >= 0 && x + w <= 1 && y + h <= 1)) return;
    this.ask("layout", false, this.cornered ? "xyxyn" : "xywhn");
    const [sx, sy] = [this.width, this.height];
    this.boxes = this.boxes.map((box) => ({ ...box, x: box.x * sx, y: box.y * sy, w: box.w * sx, h: box.h * sy }));
  }

  private place({ list, around }: Place): void {
    if (typeof list === "string") return list.includes("<annotation") ? this.pascal(list) : this.lines(list);
    // A list for each field instead of a list of objects.
    if (isFields(list)) {
      const inner = firstOf(list, INNER);
      if (Array.isArray(inner) && (inner.length === 0 || inner.some(Array.isArray))) [list, around] = [inner, list];
    }
    if (Array.isArray(around.categories)) {
      for (const c of around.categories) if (isFields(c)) this.names.set(word(c.id), word(c.name));
    }
    const beside = firstOf(around, BESIDE);
    if (isFour(list)) this.item(list, Array.isArray(beside) ? beside[0] : beside);
    else if (Array.isArray(list))
      list.forEach((item, i) => void this.item(item, Array.isArray(beside) ? beside[i] : undefined));
    else this.item(list, undefined);
  }

  private item(item: Json, beside: Json | undefined): void {
    if (Array.isArray(item)) return this.push(this.four(item, false), beside);
    if (!isFields(item)) return void this.broken++;
    if (!hasPlace(item)) return;
    const outlines = Array.isArray(item.segmentation)
      ? item.segmentation.filter((s): s is number[] => Array.isArray(s) && s.length >= 6 && s.every(Number.isFinite))
      : [];
    const mask = maskOf(item.segmentation ?? item.rle ?? item.mask);
    if (isFour(item.unturned) && outlines.length === 0)
      outlines.push(turned(item.unturned, number(item.rotation) || 0));
    const keypoints = keypointsIn(item.keypoints);
    const rect = this.rect(item) ?? around(outlines) ?? (mask && extent(mask));
    const score = SCORES.map((key) => item[key]).find((value) => typeof value === "number");
    this.push(rect ? [...rect] : [], firstOf(item, NAMES) ?? beside, outlines, mask, {
      ...(keypoints && { keypoints }),
      ...(typeof score === "number" && { score }),
    });
  }

  /** The box of an object: left, top, width, height; `null` where it has none. */
  private rect(item: Fields): number[] | null {
    const coco = "category_id" in item || "iscrowd" in item;
    const box = firstOf(item, BOXES);
    if (given(box)) return isFields(box) ? this.sides(box) : this.four(Array.isArray(box) ? box : [], coco);
    const corners = item.bndbox;
    if (!given(corners)) return this.sides(item);
    return isFields(corners) ? this.fromBase((name) => number(corners[name])) : [];
  }
  /** Corners as Pascal VOC names them. */
  private fromBase(side: (name: string) => number): number[] {
    const base = this.meaning.vocBase ?? 0;
    this.ask("vocBase", this.meaning.vocBase !== undefined, String(base));
    return sized([side("xmin") - base, side("ymin") - base, side("xmax"), side("ymax")]);
  }

  /** Four numbers without names. */
  private four(numbers: Json[], coco: boolean): number[] {
    const layout = this.layout ?? "xywh";
    if (!coco) {
      this.unnamed ||= this.layout === null;
      this.askLayout(layout, this.layout !== null);
    }
    return numbers.length === 4 ? this.placed(layout, numbers.map(number)) : [];
  }

  /** A box whose numbers have names. */
  private sides(fields: Fields): number[] | null {
    const corners = CORNERS.find((names) => names.every((name) => given(fields[name])));
    const sizes = SIZES.find((names) => names.every((name) => given(fields[name])));
    const { layout } = this;
    if (corners || sizes) this.unnamed ||= layout === null;
    const numbers = (corners ?? sizes)?.map((name) => number(fields[name]));
    if (!numbers) return null;
    if (corners) {
      this.cornered = true;
      return this.placed(layout?.endsWith("n") ? "xyxyn" : "xyxy", numbers);
    }
    // Whoever speaks of corners says nothing of x and y.
    const said = layout !== null && !layout.startsWith("xyxy");
    this.askLayout(said ? layout : "xywh", said);
    return this.placed(said ? layout : "xywh", numbers);
  }

  /** Left, top, width and height in pixels. */
  private placed(layout: Layout, [a, b, c, d]: number[]): number[] {
    const [sx, sy] = layout.endsWith("n") ? [this.width, this.height] : [1, 1];
    const [x, y, w, h] = layout.startsWith("xyxy")
      ? sized([a!, b!, c!, d!])
      : layout.startsWith("c")
        ? [a! - c! / 2, b! - d! / 2, c!, d!]
        : [a!, b!, c!, d!];
    return [x! * sx, y! * sy, w! * sx, h! * sy];
  }

  private push(
    rect: readonly number[],
    name: Json | undefined,
    outlines: readonly (readonly number[])[] = [],
    mask: Mask | null = null,
    more: Pick<Box, "keypoints" | "score"> = {},
  ): void {
    const [x, y, w, h] = rect;
    if (x === undefined || y === undefined || !(w! > 0) || !(h! > 0) || !Number.isFinite(x + y + w! + h!))
      return void this.broken++;
    const text = word(name);
    this.boxes.push({
      x,
      y,
      w: w!,
      h: h!,
      label: this.names.get(text) ?? text,
      outlines,
      mask,
      ...more,
    });
  }

  private lines(text: string): void {
    if (!(this.width > 0 && this.height > 0)) return;
    const { task, scores = false } = this.meaning;
    for (const line of yoloLines(text, this.width, this.height)) {
      if (!line) this.broken++;
      else {
        if (line.more) this.ask("scores", scores, "score");
        if (!line.rect) this.ask("task", task === "segment" || task === "obb", "segment");
        this.push(line.rect ?? around(line.outlines) ?? [], line.label, line.outlines);
      }
    }
  }

  private pascal(xml: string): void {
    // The parsed document is only asked for texts; it never becomes a part of the page.
    for (const object of new DOMParser().parseFromString(xml, "text/xml").getElementsByTagName("object")) {
      const text = (name: string): string => object.getElementsByTagName(name)[0]?.textContent ?? "";
      this.push(
        this.fromBase((name) => number(text(name))),
        text("name"),
      );
    }
  }
}

/** Left, top, width and height of corners. */
const sized = ([x1, y1, x2, y2]: number[]): number[] => [x1!, y1!, x2! - x1!, y2! - y1!];

/** The smallest box around outlines. */
function around(outlines: readonly (readonly number[])[]): number[] | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const outline of outlines) {
    for (let k = 0; k + 1 < outline.length; k += 2) {
      [left, right] = [Math.min(left, outline[k]!), Math.max(right, outline[k]!)];
      [top, bottom] = [Math.min(top, outline[k + 1]!), Math.max(bottom, outline[k + 1]!)];
    }
  }
  return right > left ? [left, top, right - left, bottom - top] : null;
}
