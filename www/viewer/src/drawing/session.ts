/** What was done since editing began: boxes, verdicts and time, image by image. Fetched when editing begins. */
import type { Dataset } from "../../../lib/src/model/index.ts";
import { download } from "../files/targets.ts";
import { csvLine } from "../ui/copied.ts";
import { stem } from "../ui/wording.ts";
import type { Review } from "./history.ts";
import type { Shape } from "./shape.ts";

/** Milliseconds after which somebody who does nothing is away. */
const AWAY = 60_000;

/** What was done to one image, or to all. */
interface Done {
  milliseconds: number;
  drawn: number;
  changed: number;
  deleted: number;
  review: Review | null;
}

/** Counts; what is undone later was done. */
export class Session {
  private readonly began = new Date();
  private readonly images = new Map<number, Done>();
  private open: Done | null = null;
  private shapes: readonly Shape[] = [];
  private nudge: string | null = null;
  private last = performance.now();

  /** An image is looked at, with what is drawn on it. */
  look(i: number, shapes: readonly Shape[]): void {
    this.tick();
    this.open = this.of(i);
    this.shapes = shapes;
    this.nudge = null;
  }
  /** Its boxes are others now; what a key moves again and again is changed once. */
  draw(shapes: readonly Shape[], nudge: string | null): void {
    this.tick();
    const [before, after] = [new Set(this.shapes), new Set(shapes)];
    const fresh = shapes.filter((shape) => !before.has(shape)).length;
    const gone = this.shapes.filter((shape) => !after.has(shape)).length;
    const { open } = this;
    if (open && (nudge === null || nudge !== this.nudge)) {
      open.changed += Math.min(fresh, gone);
      open.drawn += Math.max(0, fresh - gone);
      open.deleted += Math.max(0, gone - fresh);
    }
    this.shapes = shapes;
    this.nudge = nudge;
  }
  judge(i: number, review: Review | null): void {
    this.tick();
    this.of(i).review = review;
  }
  private of(i: number): Done {
    const known = this.images.get(i) ?? { milliseconds: 0, drawn: 0, changed: 0, deleted: 0, review: null };
    this.images.set(i, known);
    return known;
  }
  /** The time since the last action is that of the open image. */
  private tick(): void {
    const now = performance.now();
    if (this.open) this.open.milliseconds += Math.min(AWAY, now - this.last);
    this.last = now;
  }

  /** Images that something was done to, boxes and seconds. */
  get sums(): { readonly images: number; readonly [what: string]: number } {
    this.tick();
    const all = [...this.images.values()];
    const sum = (of: (done: Done) => number): number => all.reduce((sum, done) => sum + of(done), 0);
    return {
      images: all.filter((one) => one.drawn + one.changed + one.deleted > 0 || one.review !== null).length,
      drawn: sum(({ drawn }) => drawn),
      changed: sum(({ changed }) => changed),
      deleted: sum(({ deleted }) => deleted),
      accepted: sum(({ review }) => (review === "accepted" ? 1 : 0)),
      rejected: sum(({ review }) => (review === "rejected" ? 1 : 0)),
      seconds: Math.round(sum(({ milliseconds }) => milliseconds) / 1000),
    };
  }
  /** Hands them over as a file, image by image. */
  save(data: Dataset, to: "csv" | "json"): void {
    const { sums } = this;
    const samples = [...this.images].map(([sample, { milliseconds, ...done }]) => ({
      sample,
      name: data.nameOf(sample) ?? "",
      ...done,
      seconds: Math.round(milliseconds / 100) / 10,
    }));
    const lines = [Object.keys(samples[0] ?? {}), ...samples.map((one) => Object.values(one))];
    const text =
      to === "csv"
        ? lines.map((line) => csvLine(line.map((value) => String(value ?? "")))).join("")
        : JSON.stringify({ dataset: data.name, began: this.began, ended: new Date(), ...sums, samples }, null, 2);
    download(new Blob([text]), `${stem(data.name, "dataset")}-session.${to}`);
  }
}
