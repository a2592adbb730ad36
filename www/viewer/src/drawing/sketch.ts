/** A picture that is drawn on: what is on it, what is selected, and what a hand or a key does. It knows no page. */
import { painted } from "./brush.ts";
import { HitIndex, type Hit } from "./hit-index.ts";
import {
  bottomOf,
  boxAt,
  handlesOf,
  hasArea,
  holds,
  isMovable,
  isResizable,
  keypointAt,
  maskShape,
  moved,
  pointsOf,
  polygonOf,
  pulled,
  relabeled,
  rightOf,
  stretched,
  toLine,
  withKeypoint,
  withPoint,
  withoutPoint,
  type Corners,
  type Point,
  type Shape,
} from "./shape.ts";
import { ARROWS } from "../ui/typing.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/drawing.ts";

export type Tool = "box" | "polygon" | "hole" | "points" | "brush" | "eraser";
/** The keys of tools. */
const TOOL_KEYS: Readonly<Record<string, Tool>> = {
  ...{ n: "box", p: "polygon", h: "hole", y: "points", q: "brush", Q: "eraser" },
};

/** What others do with it. */
export interface SketchHost {
  /** Something in hand looks different. */
  readonly moving: () => void;
  /** Something else is selected, or another tool is taken. */
  readonly changed: () => void;
  /** All that is on the picture now; changes of the same `nudge` in a row are one. */
  readonly done: (shapes: readonly Shape[], nudge: string | null) => void;
  readonly say: (text: string) => void;
  /** What the key points of a class are called, as far as that is known. */
  readonly pointNames: (label: string) => readonly string[];
}

/** Keys that are held with another. */
export interface Held {
  readonly shift: boolean;
  readonly ctrl: boolean;
}

type Gesture =
  | { readonly kind: "press"; readonly from: Point; readonly add: boolean }
  | { readonly kind: "box"; readonly from: Point; readonly to: Point }
  | { readonly kind: "stroke"; readonly points: number[] }
  | { readonly kind: "move"; readonly from: Point; readonly add: boolean; readonly far: boolean }
  | { readonly kind: "handle"; readonly at: number; readonly handle: number; readonly from: Shape };

/** What the pointer is over. */
export interface Over {
  readonly hit: Hit | null;
  /** A handle of what is selected. */
  readonly handle: number | null;
}

const FREE: Held = { shift: false, ctrl: false };
const NOTHING: Over = { hit: null, handle: null };
/** A mask has no more pixels. */
const MOST_PIXELS = 64_000_000;
/** Pixels of the picture that a key moves something by, and with Ctrl. */
const STEPS = [1, 10] as const;

export class Sketch {
  width = 0;
  height = 0;
  /** What is on the picture; `null` while it cannot be changed. */
  shapes: readonly Shape[] | null = null;
  selected: ReadonlySet<number> = new Set();
  tool: Tool = "box";
  /** The class of what is drawn. */
  label = "";
  /** What is in hand, by its number, as it would be. */
  draft: ReadonlyMap<number, Shape> = new Map();
  /** The box that is drawn. */
  box: Corners | null = null;
  /** Points of the outline that is drawn, or key points with a third number, and where the next one would be. */
  outline: readonly number[] = [];
  keypoints: readonly number[] = [];
  /** Pixels of the picture that the brush is wide. */
  brush = 20;
  cursor: Point | null = null;
  /** The handle that keys move. */
  handle: number | null = null;
  over: Over = NOTHING;
  /** What of the picture is in sight, and how many of its pixels a finger covers. */
  view: Corners = { left: 0, top: 0, right: 0, bottom: 0 };
  reach = 1;
  private gesture: Gesture | null = null;
  private tree: HitIndex | null = null;

  constructor(private readonly of: SketchHost) {}

  /** Another picture, or the same with what was done to it elsewhere. */
  load(shapes: readonly Shape[] | null, width: number, height: number): void {
    const same = this.shapes !== null && shapes?.length === this.shapes.length;
    [this.width, this.height] = [width, height];
    if (!same) this.selected = new Set();
    this.put(shapes);
    this.drop();
  }
  private put(shapes: readonly Shape[] | null): void {
    this.shapes = shapes;
    this.tree = null;
    this.draft = new Map();
    this.over = NOTHING;
    // What a hand holds by its number may be another one now.
    if (this.gesture?.kind === "handle" || this.gesture?.kind === "move") this.gesture = null;
  }
  private get hits(): HitIndex {
    return (this.tree ??= new HitIndex(this.shapes ?? []));
  }
  /** Ends what is being done, without doing it. */
  private drop(): boolean {
    const busy = this.isDrawing || this.handle !== null;
    this.gesture = this.box = this.cursor = this.handle = null;
    this.outline = this.keypoints = [];
    this.draft = new Map();
    this.fit();
    this.of.changed();
    return busy;
  }
  /** A tool that changes what is selected goes with it. */
  private fit(): void {
    const { tool, alone } = this;
    if ((tool === "hole" && alone?.kind !== "polygon") || (tool === "eraser" && !alone?.mask)) this.tool = "box";
  }
  /** Whether something is in hand that is not there yet. */
  get isDrawing(): boolean {
    return this.gesture !== null || this.isPlacing;
  }
  /** Whether points are set of something that is not there yet. */
  get isPlacing(): boolean {
    return this.outline.length + this.keypoints.length > 0;
  }
  /** What to do first with an outline that is drawn, before a key that would drop it; nothing where there is none. */
  get unfinished(): string {
    return this.isPlacing ? msg("outlineFirst") : "";
  }
  /** What a stroke has covered so far. */
  get stroke(): readonly number[] {
    return this.gesture?.kind === "stroke" ? this.gesture.points : [];
  }
  /** Whether the tool is a brush of either end. */
  get paints(): boolean {
    return this.tool === "brush" || this.tool === "eraser";
  }
  /** Takes back what is in hand: the last point of an outline, or a move that is not done. True if there was something. */
  takeBack(): boolean {
    if (!this.isDrawing) return false;
    return this.isPlacing ? this.less() : this.drop();
  }
  private commit(shapes: readonly Shape[], selected: Iterable<number>, nudge: string | null = null): void {
    this.put(shapes);
    this.selected = new Set(selected);
    this.of.changed();
    this.of.done(shapes, nudge);
  }
  private clamp([x, y]: Point): Point {
    return [Math.min(this.width, Math.max(0, x)), Math.min(this.height, Math.max(0, y))];
  }
  /** Near the edge of the image a hand means the edge. */
  private snapped([x, y]: Point): Point {
    return this.clamp([x + this.snap(x, this.width - x), y + this.snap(y, this.height - y)]);
  }
  /** How far it is to the first edge or the second if that is near. */
  private snap(before: number, behind: number): number {
    const near = this.reach / 2;
    return Math.abs(before) <= near ? -before : Math.abs(behind) <= near ? behind : 0;
  }
  /** The only one that is selected. */
  private get one(): number | null {
    const [first] = this.selected;
    return this.selected.size === 1 ? first! : null;
  }
  /** The shape that is selected alone. */
  get alone(): Shape | null {
    return this.one === null ? null : (this.shapes?.[this.one] ?? null);
  }
  /** The shape as it is or would be. */
  shape(at: number): Shape | undefined {
    return this.draft.get(at) ?? this.shapes?.[at];
  }

  // Tools and classes

  take(tool: Tool): void {
    if (tool === "hole" && this.alone?.kind !== "polygon") return this.of.say(msg("holeNeedsOutline"));
    if (tool === "eraser" && !this.alone?.mask) return this.of.say(msg("eraserNeedsMask"));
    this.tool = tool;
    this.drop();
  }
  /** The class of what is selected, and of what comes. */
  name(label: string): void {
    this.label = label;
    const { shapes } = this;
    if (shapes && [...this.selected].some((at) => shapes[at]!.label !== label))
      this.commit(
        shapes.map((shape, at) => (this.selected.has(at) ? relabeled(shape, label) : shape)),
        this.selected,
      );
    else this.of.changed();
  }
  select(selected: Iterable<number>): void {
    this.selected = new Set(selected);
    this.handle = null;
    const at = this.one;
    if (at !== null) this.label = this.shapes![at]!.label;
    this.fit();
    this.of.changed();
  }
  /** Selects what the pointer is over, for a key that is about it. */
  grab(): void {
    const { hit } = this.over;
    if (hit) this.select([hit.at]);
  }
  remove(): void {
    const { shapes, selected } = this;
    if (!shapes || selected.size === 0) return;
    this.handle = null;
    this.commit(
      shapes.filter((_, at) => !selected.has(at)),
      [],
    );
  }
  /** Takes away what is at a point, or the last point of the outline that is drawn. */
  erase(at: Point): void {
    if (!this.shapes) return;
    if (this.isPlacing) return void this.less();
    const hit = this.hits.inside(at) ?? this.hits.at(at, this.reach)?.at ?? null;
    if (hit === null) return;
    this.handle = null;
    this.commit(
      this.shapes.filter((_, k) => k !== hit),
      [],
    );
    this.of.say(msg("removed", { many: 1 }));
  }
  /** Adds some, and selects them. */
  add(more: readonly Shape[]): void {
    const shapes = this.shapes ?? [];
    if (more.length > 0)
      this.commit(
        [...shapes, ...more],
        more.map((_, k) => shapes.length + k),
      );
  }

  // The hand

  down(at: Point, { shift }: Held): void {
    const { shapes } = this;
    if (!shapes) return;
    if (this.paints) {
      this.gesture = { kind: "stroke", points: [...at] };
      return this.of.moving();
    }
    if (this.tool !== "box") return this.point(this.snapped(at), shift);
    const handle = this.handleAt(at);
    const one = this.one;
    if (handle && one !== null) {
      let [from, k] = [shapes[one]!, handle.at];
      if (handle.between) {
        from = withPoint(from, k, this.clamp(at));
        k++;
      }
      this.gesture = { kind: "handle", at: one, handle: k, from };
      return this.move(at);
    }
    const hit = this.hits.at(at, this.reach);
    const taken = hit && (this.selected.has(hit.at) || this.isIn(at));
    if (hit?.border && !taken && !shift) {
      this.select([hit.at]);
      // A corner is pulled at once, whether or not its box was selected.
      const corner = this.handleAt(at);
      if (corner && this.alone!.kind === "box" && corner.at % 2 === 0) return this.down(at, FREE);
    }
    const moves = taken || (hit?.border && !shift);
    this.gesture = moves ? { kind: "move", from: at, add: shift, far: false } : { kind: "press", from: at, add: shift };
  }
  /** Whether a point is in something that is selected. */
  private isIn(at: Point): boolean {
    return [...this.selected].some((k) => holds(this.shapes![k]!, at));
  }
  private isFar([x, y]: Point, [fromX, fromY]: Point): boolean {
    return (x - fromX) ** 2 + (y - fromY) ** 2 > (this.reach / 2) ** 2;
  }

  move(at: Point): void {
    const { gesture, shapes } = this;
    if (!shapes) return;
    if (this.tool !== "box") {
      this.cursor = this.paints ? at : this.snapped(at);
      if (gesture?.kind === "stroke") gesture.points.push(...at);
    } else if (!gesture) this.look(at);
    else if (gesture.kind === "handle") {
      const next = pulled(gesture.from, gesture.handle, this.snapped(at));
      // As far as it goes: what has no area is nothing that anybody meant.
      if (hasArea(next)) this.draft = new Map([[gesture.at, next]]);
    } else if (gesture.kind === "move") {
      if (!gesture.far && !this.isFar(at, gesture.from)) return;
      this.gesture = { ...gesture, far: true };
      this.draft = this.shift(at[0] - gesture.from[0], at[1] - gesture.from[1], true);
    } else if (gesture.kind !== "stroke" && (gesture.kind === "box" || this.isFar(at, gesture.from))) {
      const [from, to] = [this.snapped(gesture.from), this.snapped(at)];
      this.gesture = { kind: "box", from, to };
      this.box = { left: from[0], top: from[1], right: to[0], bottom: to[1] };
    }
    this.of.moving();
  }
  private look(at: Point): void {
    const handle = this.handleAt(at);
    this.over = {
      handle: handle && !handle.between ? handle.at : null,
      hit: handle ? null : this.hits.at(at, this.reach),
    };
  }
  /** What is selected, moved as far as the picture reaches. */
  private shift(dx: number, dy: number, hand = false): Map<number, Shape> {
    const all = [...this.selected].map((at) => [at, this.shapes![at]!] as const).filter(([, one]) => isMovable(one));
    let [x, y] = [dx, dy];
    for (const [, one] of all) {
      // What lies over the edge already may stay there.
      x = Math.max(Math.min(x, Math.max(0, this.width - rightOf(one))), Math.min(0, -one.x));
      y = Math.max(Math.min(y, Math.max(0, this.height - bottomOf(one))), Math.min(0, -one.y));
    }
    if (hand && all.length === 1) {
      const [, one] = all[0]!;
      x += this.snap(one.x + x, this.width - rightOf(one) - x);
      y += this.snap(one.y + y, this.height - bottomOf(one) - y);
    }
    return new Map(all.map(([at, one]) => [at, moved(one, x, y)]));
  }

  up(at: Point): void {
    const { gesture, shapes, draft } = this;
    if (!gesture || !shapes) return;
    this.gesture = this.box = null;
    this.draft = new Map();
    if (gesture.kind === "stroke") return this.paint(gesture.points);
    if (gesture.kind === "press" || (gesture.kind === "move" && !gesture.far)) return this.click(at, gesture.add);
    if (gesture.kind === "box") {
      const [left, top] = gesture.from;
      const [right, bottom] = gesture.to;
      const shape = boxAt({ left, top, right, bottom }, this.label);
      if (shape.w > 0 && shape.h > 0) return this.add([shape]);
      return this.of.changed();
    }
    this.keep(draft);
  }
  private click(at: Point, add: boolean): void {
    const hit = this.hits.inside(at) ?? this.hits.at(at, this.reach)?.at ?? null;
    if (!add) return this.select(hit === null ? [] : [hit]);
    if (hit === null) return;
    const selected = new Set(this.selected);
    if (!selected.delete(hit)) selected.add(hit);
    this.select(selected);
  }
  /** Makes what was in hand what is there. */
  private keep(draft: ReadonlyMap<number, Shape>, nudge: string | null = null): void {
    if (draft.size > 0)
      this.commit(
        this.shapes!.map((shape, at) => draft.get(at) ?? shape),
        this.selected,
        nudge,
      );
    else this.of.changed();
  }
  /** The hand was taken away by something else. */
  cancel(): void {
    this.drop();
  }

  /** The handle of what is selected under a point; of an outline also the middle of a line, `between` two. */
  private handleAt([x, y]: Point): { at: number; between: boolean } | null {
    const one = this.one;
    const shape = one === null ? undefined : this.shapes?.[one];
    if (!shape) return null;
    const handles = handlesOf(shape);
    // From the inside of what is thin it is moved: its sides would lie under any point of it.
    const thin = isResizable(shape) && holds(shape, [x, y]);
    const reach = thin ? Math.min(this.reach, shape.w / 4, shape.h / 4) : this.reach;
    let [best, least] = [-1, reach ** 2];
    handles.forEach(([hx, hy], k) => {
      const far = (hx - x) ** 2 + (hy - y) ** 2;
      if (far <= least) [best, least] = [k, far];
    });
    if (best >= 0) return { at: best, between: false };
    if (shape.kind === "box") {
      // A side is a handle as a whole: the first is at the top, between the corners 0 and 2.
      for (const [k, a, b] of [
        [1, 0, 2],
        [3, 2, 4],
        [5, 4, 6],
        [7, 6, 0],
      ] as const)
        if (toLine(x, y, ...handles[a]!, ...handles[b]!) <= (reach / 2) ** 2) return { at: k, between: false };
      return null;
    }
    let first = 0;
    for (const outline of shape.outlines) {
      const points = outline.length / 2;
      for (let k = 0; k < points; k++) {
        const [a, b] = [handles[first + k]!, handles[first + ((k + 1) % points)]!];
        const middle: Point = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
        if ((middle[0] - x) ** 2 + (middle[1] - y) ** 2 <= reach ** 2) return { at: first + k, between: true };
      }
      first += points;
    }
    return null;
  }

  // Outlines, key points and masks

  /** Another point; on the first one the outline is closed. */
  private point(at: Point, hidden = false): void {
    if (this.tool === "points") return this.mark([...at, hidden ? 1 : 2]);
    const [x, y] = this.outline;
    const first = x !== undefined && (x - at[0]) ** 2 + (y! - at[1]) ** 2 <= this.reach ** 2;
    this.cursor = at;
    if (first && this.outline.length >= 6) return void this.close();
    // A second click on the same place is the end of a double click.
    const [lastX, lastY] = this.outline.slice(-2);
    if (lastX !== at[0] || lastY !== at[1]) this.outline = [...this.outline, ...at];
    this.of.changed();
    this.of.say(msg("point", { outline: this.outline.length / 2 }));
  }
  /** Another key point: two is seen, one hidden, none not marked. The last of the class ends them. */
  private mark(point: readonly [x: number, y: number, seen: number]): void {
    const [x, y] = this.keypoints.slice(-3);
    // A second click on the same place is the end of a double click.
    if (point[2] > 0 && x === point[0] && y === point[1]) return;
    this.keypoints = [...this.keypoints, ...point];
    if (this.keypoints.length / 3 === this.of.pointNames(this.label).length) return void this.close();
    this.of.changed();
    this.of.say(this.nextPoint);
  }
  /** Which key point comes next. */
  get nextPoint(): string {
    const [names, point] = [this.of.pointNames(this.label), this.keypoints.length / 3 + 1];
    const name = names[point - 1];
    return name === undefined ? msg("nextPoint", { point }) : msg("nextPointOf", { point, many: names.length, name });
  }
  /** Closes the outline that is drawn, or ends the key points; true if there was something. */
  close(): boolean {
    const { outline, keypoints, label } = this;
    if (keypoints.length > 0) {
      // Those that the class has besides are not marked.
      const missing = Math.max(0, 3 * this.of.pointNames(label).length - keypoints.length);
      const shape = pointsOf([...keypoints, ...Array(missing).fill(0)], label);
      this.keypoints = [];
      if (shape) this.add([shape]);
      else this.of.changed();
      return true;
    }
    if (this.paints && this.selected.size > 0) {
      // The next stroke begins another mask.
      this.select([]);
      return true;
    }
    if (outline.length === 0) return false;
    if (outline.length < 6) {
      this.of.say(msg("outlineHasLeastThreePoints"));
      return true;
    }
    const shape = polygonOf([outline], label);
    if (!hasArea(shape)) {
      this.of.say(msg("outlineEnclosesNothing"));
      return true;
    }
    this.outline = [];
    const { alone } = this;
    if (this.tool !== "hole" || alone?.kind !== "polygon") this.add([shape]);
    else this.keep(new Map([[this.one!, polygonOf([...alone.outlines, outline], alone.label, alone)]]));
    return true;
  }
  /** Adds what a stroke covers to the mask that is selected, or takes it away; without one it begins a mask. */
  private paint(stroke: readonly number[]): void {
    const { alone, width, height } = this;
    const erases = this.tool === "eraser";
    const own = alone?.mask?.width === width && alone.mask.height === height ? alone : null;
    if (!own && (erases || width * height > MOST_PIXELS)) {
      this.of.changed();
      return this.of.say(erases ? msg("eraserNeedsMask") : msg("imageTooLargeForMask"));
    }
    const mask = painted(own?.mask ?? { width, height, runs: [width * height] }, stroke, this.brush / 2, erases);
    const shape = maskShape(mask, own?.label ?? this.label, own ?? undefined);
    if (!shape && own) this.remove();
    else if (shape) own ? this.keep(new Map([[this.one!, shape]])) : this.add([shape]);
    else this.of.changed();
  }
  /** Wider or narrower. */
  widen(by: number): void {
    const to = Math.round(this.brush * 1.25 ** by);
    // Of a narrow brush a quarter is less than a pixel.
    this.resize(to === this.brush ? to + by : to);
  }
  resize(pixels: number): void {
    this.brush = Math.min(500, Math.max(1, pixels));
    this.of.changed();
  }

  // Keys

  /** Does what a key says; true if it was one of these. */
  key(key: string, held: Held): boolean {
    if (!this.shapes) return false;
    const arrow = ARROWS[key];
    if (arrow) return this.arrow(arrow, held);
    if (held.ctrl) {
      if (key !== "a") return false;
      this.select(this.shapes.keys());
      return true;
    }
    switch (key) {
      case "Escape":
        if (this.drop()) return true;
        if (this.tool !== "box") this.take("box");
        else if (this.selected.size > 0) this.select([]);
        else return false;
        return true;
      case "Delete":
      case "Backspace":
        if (held.shift) this.grab();
        return this.less();
      case "Enter":
        return this.close();
      case " ":
        if (this.tool === "box") return false;
        if (this.paints) this.paint(this.cursor ?? this.middle);
        else this.point(this.cursor ?? this.middle, held.shift);
        return true;
      case "n":
        this.take("box");
        this.add([this.usual()]);
        this.tell();
        return true;
      case "p":
      case "h":
      case "y":
      case "q":
      case "Q":
        this.turn(TOOL_KEYS[key]!);
        return true;
      case "o":
        return this.hide();
      case "[":
      case "]":
        this.step(key === "]" ? 1 : -1);
        return true;
      case ",":
      case ".":
        if (!this.paints) return this.nextHandle(key === "." ? 1 : -1);
        this.widen(key === "." ? 1 : -1);
        return true;
      default:
        return false;
    }
  }
  /** Takes a tool by its key, and boxes by the same key again. */
  private turn(tool: Tool): void {
    const to = this.tool === tool ? "box" : tool;
    this.take(to);
    if (this.tool !== to) return;
    if (to === "box") return this.of.say(msg("boxes2"));
    this.cursor = this.middle;
    this.of.say(this.paints ? msg("brushArrowsMoveSpacePaints") : msg("outlineArrowsMoveSpaceSets"));
    this.of.changed();
  }
  /** Leaves a key point out while some are set; else hides the one that is held, or shows it. */
  private hide(): boolean {
    const [{ alone, handle }, placing] = [this, this.tool === "points"];
    if (placing) this.mark([0, 0, 0]);
    const k = placing || !alone || handle === null ? null : keypointAt(alone, handle);
    if (k === null) return placing;
    const [x, y, seen] = alone!.keypoints!.slice(3 * k, 3 * k + 3) as [number, number, number];
    this.keep(new Map([[this.one!, withKeypoint(alone!, k, [x, y, seen === 1 ? 2 : 1])]]));
    return true;
  }
  private get middle(): Point {
    const { left, top, right, bottom } = this.view;
    return this.clamp([Math.round((left + right) / 2), Math.round((top + bottom) / 2)]);
  }
  /** A box in the middle of what is in sight, a quarter of it. */
  private usual(): Shape {
    const { view, label } = this;
    const [x, y] = this.middle;
    const wide = Math.max(1, Math.round((Math.min(this.width, view.right) - Math.max(0, view.left)) / 8));
    const tall = Math.max(1, Math.round((Math.min(this.height, view.bottom) - Math.max(0, view.top)) / 8));
    const [left, top] = this.clamp([x - wide, y - tall]);
    const [right, bottom] = this.clamp([x + wide, y + tall]);
    return boxAt({ left, top, right, bottom }, label);
  }
  private step(by: number): void {
    const { length } = this.shapes!;
    if (length === 0) return this.of.say(msg("nothingDrawnHere2"));
    const now = this.one ?? (by > 0 ? -1 : 0);
    this.select([(now + by + length) % length]);
    this.tell();
  }
  /** Says what is selected. */
  private tell(): void {
    const at = this.one;
    const shape = at === null ? undefined : this.shapes![at];
    if (!shape) return;
    const [w, h, x, y] = [shape.w, shape.h, shape.x, shape.y].map(Math.round);
    this.of.say(
      msg("ofByAtAtShapes", {
        at: at! + 1,
        shapes: this.shapes!.length,
        label: shape.label || common("noClass"),
        w,
        h,
        x,
        y,
      }),
    );
  }
  private nextHandle(by: number): boolean {
    const at = this.one;
    const shape = at === null ? undefined : this.shapes![at]!;
    const many = shape ? handlesOf(shape).length : 0;
    if (many === 0) return false;
    this.handle = ((this.handle ?? (by > 0 ? -1 : 0)) + by + many) % many;
    this.of.changed();
    this.of.say(msg("pointOf", { handle: this.handle + 1, many }));
    return true;
  }
  /** Takes a point of an outline away, or what is selected. */
  private less(): boolean {
    if (this.isPlacing) {
      [this.outline, this.keypoints] = [this.outline.slice(0, -2), this.keypoints.slice(0, -3)];
      this.of.changed();
      return true;
    }
    const { handle, one } = this;
    const shape = this.alone;
    if (handle !== null && one !== null && shape && (shape.kind === "polygon" || keypointAt(shape, handle) !== null)) {
      this.handle = null;
      const less = withoutPoint(shape, handle);
      if (hasArea(less)) this.keep(new Map([[one, less]]));
      else this.of.say(msg("outlineEnclosesNothing"));
      return true;
    }
    const many = this.selected.size;
    if (many === 0) return false;
    this.remove();
    this.of.say(msg("removed", { many }));
    return true;
  }
  private arrow([dx, dy]: Point, { shift, ctrl }: Held): boolean {
    const { handle, one, shapes } = this;
    const by = STEPS[ctrl ? 1 : 0];
    if (this.tool !== "box") {
      // Pixels of the screen: a key goes as far in any picture.
      const far = shift ? this.reach / 8 : this.reach * 1.5;
      const [x, y] = this.cursor ?? this.middle;
      this.cursor = this.clamp([x + dx * far, y + dy * far]);
      this.of.changed();
      return true;
    }
    if (this.selected.size === 0) return false;
    const shape = one === null ? undefined : shapes![one]!;
    if (shape && handle !== null) {
      const [x, y] = handlesOf(shape)[handle]!;
      const next = pulled(shape, handle, this.clamp([x + dx * by, y + dy * by]));
      // Pulled over to the other side, it would be another handle.
      if (hasArea(next)) this.keep(new Map([[one!, next]]), `handle ${one} ${handle}`);
    } else if (shift) {
      if (!shape || !isResizable(shape)) return true;
      const corner = this.clamp([rightOf(shape) + dx * by, bottomOf(shape) + dy * by]);
      const [right, bottom] = [Math.max(shape.x + 1, corner[0]), Math.max(shape.y + 1, corner[1])];
      const wider = stretched(shape, { left: shape.x, top: shape.y, right, bottom });
      this.keep(new Map([[one!, wider]]), `size ${one}`);
    } else this.keep(this.shift(dx * by, dy * by), `move ${[...this.selected].join()}`);
    return true;
  }
}
