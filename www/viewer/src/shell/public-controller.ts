/** What those set and hear who put the element on their page: properties follow what is shown, and the other way round. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Dataset, Folder, Input, Table } from "../../../lib/src/model/index.ts";
import type { ViewerEvents, ViewerMembers } from "../public/element.ts";
import { isAbort, trouble } from "../ui/wording.ts";
import type { Link } from "./link.ts";
import { nameable, nameOf } from "./nameable.ts";

type Host = ReactiveControllerHost & HTMLElement & Pick<ViewerMembers, "src" | "filter" | "selected" | "dataProvider">;

/** What it needs of the viewer. */
export interface PublicHost {
  readonly found: () => Dataset | Table | null;
  readonly open: (input: Input | Folder, name: string, file: string) => Promise<unknown>;
  readonly fail: (name: string, message: string, code: string | undefined) => void;
  readonly close: () => void;
  /** Shows what is open as a link says. */
  readonly show: (link: Link) => Promise<void>;
  readonly picked: () => Iterable<number>;
  readonly pick: (samples: Iterable<number>) => void;
  /** The boxes of a sample were changed. */
  readonly drawn: (i: number) => void;
}

/** What is shown, as properties say it. */
interface State {
  readonly filter: string;
  readonly selected: number | null;
}
const NOTHING: State = { filter: "", selected: null };

/** Opens what `src` and `dataProvider` say, applies what was set, and tells what was done. */
export class PublicController implements ReactiveController {
  /** What is shown. */
  private told: State = NOTHING;
  /** What the page around it asked for last; it holds for every file of `src`. */
  private asked: State = NOTHING;
  private src: string | null = null;
  private provider: ViewerMembers["dataProvider"] = null;
  private work: AbortController | null = null;
  /** What was picked before anything was open. */
  private toPick: readonly number[] | null = null;

  constructor(
    private readonly host: Host,
    private readonly of: PublicHost,
  ) {
    host.addController(this);
    host.addEventListener("edit", (e) => {
      const { index } = (e as CustomEvent<{ index: number | null }>).detail;
      if (e.target === host && index !== null) this.of.drawn(index);
    });
  }
  hostConnected(): void {
    // What was set before the element was known hides what hears of it.
    const early = Object.getOwnPropertyDescriptor(this.host, "picked");
    if (early) {
      Reflect.deleteProperty(this.host, "picked");
      this.pick(early.value as readonly number[]);
    }
    // Whoever takes it off the page and puts it elsewhere means the same file.
    [this.src, this.provider] = [null, null];
    this.host.requestUpdate();
  }
  hostDisconnected(): void {
    this.work?.abort();
  }
  hostUpdated(): void {
    if (!this.host.isConnected) return;
    const changed = this.listen();
    const { src, dataProvider } = this.host;
    if (src !== this.src || dataProvider !== this.provider) {
      [this.src, this.provider] = [src, dataProvider];
      void this.openSource();
    } else if (changed && this.of.found()) void this.of.show(this.link);
  }

  /** Something else is opened or closed: what `src` is still looking for comes too late. */
  cancel(): void {
    this.work?.abort();
  }

  /** What was asked for, as a link says it. */
  get link(): Link {
    const { filter, selected } = this.asked;
    return { ...(filter !== "" && { q: filter }), ...(selected !== null && { i: selected }) };
  }
  /** Hears what was set since; whether there was anything. */
  listen(): boolean {
    const filter = this.host.filter ?? "";
    // -1 and the like stand for none, as they do elsewhere.
    const { selected: said } = this.host;
    const selected = said !== null && Number.isSafeInteger(said) && said >= 0 ? said : null;
    if (filter === this.told.filter && selected === this.told.selected) return false;
    // What was set once is not asked for again.
    this.told = this.asked = { filter, selected };
    return true;
  }
  /** Picks what the page around it says; before samples are open, those of the next file. */
  pick(all: readonly number[]): void {
    this.toPick = [...all];
    this.pickAsked();
  }
  /** The same once samples are open. */
  pickAsked(): void {
    const found = this.of.found();
    if (!this.toPick || found?.kind !== "samples") return;
    const { length } = found;
    this.of.pick(this.toPick.filter((i) => Number.isSafeInteger(i) && i >= 0 && i < length));
    this.toPick = null;
  }
  /** This is shown now. */
  tell({ filter, selected }: State): void {
    this.listen();
    const { told } = this;
    this.told = { filter, selected };
    Object.assign(this.host, this.told);
    if (filter !== told.filter) this.send("filter", { filter });
    if (selected !== told.selected) this.select();
  }
  /** Nothing is open any more; what was asked for still is. */
  reset(): void {
    this.listen();
    this.told = NOTHING;
    Object.assign(this.host, NOTHING);
  }
  /** Another sample is open, or others are picked. */
  select(): void {
    this.send("select", { selected: this.told.selected, picked: ascending(this.of.picked()) });
  }
  send<K extends keyof ViewerEvents>(type: K, detail: ViewerEvents[K]["detail"]): void {
    this.host.dispatchEvent(new CustomEvent(type, { detail }));
  }

  private async openSource(): Promise<void> {
    const { src } = this;
    const provider = this.provider;
    this.work?.abort();
    const work = (this.work = new AbortController());
    try {
      // A source of its own needs no address; who gives sources for addresses is not asked without one.
      if (!src && (!provider || typeof provider === "function")) return this.of.close();
      const given = typeof provider === "function" ? await provider(src!, { signal: work.signal }) : (provider ?? src!);
      const { input, name, file } = await nameable(given, provider && src ? nameOf(src) : undefined);
      if (!work.signal.aborted) await this.of.open(input, name, provider ? `local:${name}` : file);
    } catch (e) {
      if (work.signal.aborted || isAbort(e)) return;
      const { message, code } = trouble(e);
      this.of.fail(src ?? "dataset", message, code);
    }
  }
}

const ascending = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);
