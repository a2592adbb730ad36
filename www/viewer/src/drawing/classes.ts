/** The classes that can be drawn, of which there may be a million, and which of them have a key. */
import type { ProjectClass } from "../../../lib/src/model/index.ts";
import { keep, recall } from "../ui/remembered.ts";

/** Keys of classes: 1 to 9. */
export const KEYS = 9;
/** As many as anybody scrolls through. */
const MOST = 2_000_000;

export class Classes {
  /** Those that the dataset lists, in its order, and behind them all others in that of the alphabet. */
  names: readonly string[] = [];
  private listed = 0;
  private readonly known = new Set<string>();
  /** Their names without capitals, for searching; made when somebody searches. */
  private folded: string[] = [];
  /** The class of each key, where somebody chose it. */
  private chosen: (string | null)[] = [];
  private place = "";

  /** Classes of another dataset; `place` is where its keys are remembered. */
  reset(place: string): void {
    this.names = this.folded = [];
    this.listed = 0;
    this.known.clear();
    this.place = place;
    this.chosen = keysIn(recall(`keys ${place}`));
  }
  /** Makes some known, as `listed` by the dataset or met anywhere; whether one of them was not. */
  learn(names: Iterable<string>, listed = false): boolean {
    const fresh: string[] = [];
    for (const raw of names) {
      const name = raw.trim();
      if (name === "" || this.known.has(name) || this.known.size >= MOST) continue;
      this.known.add(name);
      fresh.push(name);
    }
    if (fresh.length === 0) return false;
    const [own, rest] = [this.names.slice(0, this.listed), this.names.slice(this.listed)];
    this.names = listed ? own.concat(fresh, rest) : own.concat(rest.concat(fresh).sort());
    if (listed) this.listed += fresh.length;
    this.folded = [];
    return true;
  }
  /** Takes the order and the keys of a project; other classes come behind. */
  follow(all: readonly ProjectClass[]): void {
    const { names } = this;
    this.names = this.folded = [];
    this.listed = 0;
    this.known.clear();
    this.learn(
      all.map(({ name }) => name),
      true,
    );
    this.learn(names);
    this.chosen = Array.from({ length: KEYS }, (_, k) => all.find(({ key }) => key === k + 1)?.name ?? null);
  }
  has(name: string): boolean {
    return this.known.has(name.trim());
  }
  /** Those in which a text occurs, those that begin with it first. */
  search(text: string): readonly string[] {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return this.names;
    for (let k = this.folded.length; k < this.names.length; k++) this.folded.push(this.names[k]!.toLowerCase());
    const [first, rest]: [string[], string[]] = [[], []];
    for (let k = 0; k < this.folded.length; k++) {
      const at = this.folded[k]!.indexOf(wanted);
      if (at === 0) first.push(this.names[k]!);
      else if (at > 0) rest.push(this.names[k]!);
    }
    return [...first, ...rest];
  }

  /** The class of a key from 1 to 9: the one that was chosen, else the first ones in their order. */
  ofKey(key: number): string | undefined {
    const own = this.chosen[key - 1];
    if (own) return own;
    const rest = this.names.slice(0, 2 * KEYS).filter((name) => !this.chosen.includes(name));
    const free = Array.from({ length: KEYS }, (_, k) => k).filter((k) => !this.chosen[k]);
    return rest[free.indexOf(key - 1)];
  }
  /** The keys of classes. */
  get keys(): Map<string, number> {
    const keys = new Map<string, number>();
    for (let key = 1; key <= KEYS; key++) {
      const name = this.ofKey(key);
      if (name !== undefined) keys.set(name, key);
    }
    return keys;
  }
  /** Gives a class a key. */
  give(key: number, name: string): void {
    this.chosen = Array.from({ length: KEYS }, (_, k) => {
      const own = k === key - 1 ? name : (this.chosen[k] ?? null);
      return own === name && k !== key - 1 ? null : own;
    });
    keep(`keys ${this.place}`, JSON.stringify(this.chosen));
  }
}

function keysIn(text: string | null): (string | null)[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.slice(0, KEYS).map((one) => (typeof one === "string" ? one : null)) : [];
  } catch {
    return [];
  }
}
