/** Thumbnails: decoded by the browser, kept up to a bound, let go when they are out of sight. */
import type { Dataset } from "../../../lib/src/model/index.ts";
import { NotDrawn, decode, isChanged, type Decoded } from "./picture.ts";
import { isAbort, trouble } from "../ui/wording.ts";
import { InSight } from "./in-sight.ts";
import { storedThumb } from "./strips.ts";
import { msg } from "../messages/pictures.ts";

/** A picture that is there. */
export interface Ready {
  readonly state: "ready";
  readonly bitmap: ImageBitmap;
  readonly partial: boolean;
  /** The picture's own size, as the browser turned it. */
  readonly width: number;
  readonly height: number;
  /** How its EXIF says that it is to be turned. */
  readonly orientation: number;
}

/** What a tile can show. */
export type Thumb =
  | Ready
  | { readonly state: "none"; readonly why: string }
  | { readonly state: "broken"; readonly why: string; readonly passing: boolean };

/** Pictures are decoded to this size at most. */
const EDGE = 256;
/** Bytes of pixels that are kept, seen and unseen. */
const BUDGET = 96 * 1024 * 1024;
/** Failures that say nothing of the file: it may be there again in a moment. */
const PASSING = new Set(["io", "http.network", "http.stalled", "http.truncated", "http.status"]);
/** Milliseconds after which what failed in passing is tried again, at first and at last. */
const AGAIN = [3000, 60_000] as const;
/** Pictures decoded at once. */
const LANES = 4;

/** Waits for its turn. */
export type Turn = <T>(body: () => Promise<T>) => Promise<T>;
/** Decodes what is known by a number. */
export type Load = (i: number, signal: AbortSignal, turn: Turn) => Promise<Decoded>;

/** Lets this many in at a time. */
class Gate {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];
  async run<T>(body: () => Promise<T>): Promise<T> {
    if (this.inside >= LANES) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.inside++;
    try {
      return await body();
    } finally {
      // The place goes to the next in the row.
      const next = this.waiting.shift();
      if (next) next();
      else this.inside--;
    }
  }
}

/** Whether a picture is only missing: its tile need not say so, if the gallery says it once. */
export const isUnreached = (thumb: Thumb): boolean =>
  thumb.state === "broken" && thumb.passing && thumb.why.startsWith("http.");

/** Decodes what is in sight, newest wish first. */
export class Thumbs extends InSight<Thumb> {
  private bytes = 0;
  private readonly gate = new Gate();
  /** Runs while something is to be tried again. */
  private timer: ReturnType<typeof setTimeout> | undefined;
  private patience: number = AGAIN[0];
  private readonly online = (): void => this.again();

  constructor(
    dataset: Dataset,
    changed: () => void,
    private readonly decoded: Load = async (i, signal, turn) =>
      (await storedThumb(dataset, i, EDGE, signal, turn)) ??
      decode(dataset, i, { signal, edge: EDGE, sized: true, turn }),
  ) {
    super(changed);
    globalThis.addEventListener("online", this.online);
  }

  /** The thumbnail, if it is there. */
  override get(i: number): Thumb | undefined {
    const thumb = this.kept.get(i);
    if (thumb) {
      // Last used, last out.
      this.kept.delete(i);
      this.kept.set(i, thumb);
    }
    return thumb;
  }

  /** What the network lost and nobody reached since: the code, and how many there are. */
  get lost(): { readonly code: string; readonly pictures: number } | null {
    let [code, pictures] = ["", 0];
    for (const thumb of this.kept.values())
      if (thumb.state === "broken" && isUnreached(thumb)) [code, pictures] = [thumb.why, pictures + 1];
    return pictures > 0 ? { code, pictures } : null;
  }

  override close(): void {
    super.close();
    clearTimeout(this.timer);
    globalThis.removeEventListener("online", this.online);
  }
  protected override drop(thumb: Thumb): void {
    if (thumb.state === "ready") thumb.bitmap.close();
  }

  /** Forgets what failed in passing: what of it is in sight is asked for again. */
  again(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [i, thumb] of this.kept) if (thumb.state === "broken" && thumb.passing) this.kept.delete(i);
    if (!this.closed) this.changed();
  }

  protected took(i: number, thumb: Thumb): void {
    if (thumb.state === "ready") {
      this.bytes += thumb.bitmap.width * thumb.bitmap.height * 4;
      this.patience = AGAIN[0];
    } else if (thumb.state === "broken" && thumb.passing && this.timer === undefined) {
      this.timer = setTimeout(() => this.again(), this.patience);
      this.patience = Math.min(AGAIN[1], this.patience * 2);
    }
    for (const [old, gone] of this.kept) {
      if (this.bytes <= BUDGET) break;
      if (gone.state !== "ready" || old === i) continue;
      this.bytes -= gone.bitmap.width * gone.bitmap.height * 4;
      gone.bitmap.close();
      this.kept.delete(old);
    }
  }

  protected async read(i: number, signal: AbortSignal): Promise<Thumb | undefined> {
    try {
      return { state: "ready", ...(await this.decoded(i, signal, (body) => this.gate.run(body))) };
    } catch (e) {
      if (signal.aborted || isAbort(e)) return undefined;
      if (e instanceof NotDrawn) return { state: "none", why: e.message };
      const { code, message } = trouble(e);
      return {
        state: "broken",
        why: isChanged(message) ? msg("fileChanged") : (code ?? msg("cannotDecoded")),
        passing: PASSING.has(code ?? ""),
      };
    }
  }
}
