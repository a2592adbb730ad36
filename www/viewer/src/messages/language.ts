/**
 * What the viewer says, in the language of whoever reads it. English is in the files beside this one, room by room, so that the
 * words of what is fetched later are fetched with it; other languages are handed in, whole or in part.
 *
 * A message is a text with places, `{name} could not be opened`, and with plurals as ICU writes them:
 * `{count, plural, one {# sample} other {# samples}}`. `#` is the number; which form it takes is the language's matter.
 */

/** A name of a place, and not what stands in a form of a plural. */
type Place<S extends string> = S extends `${string} ${string}` | `${string}#${string}` | "" ? never : S;
type First<S extends string> = S extends `${infer Head}}${string}`
  ? Head extends `${infer Name},${string}`
    ? Place<Name>
    : Place<Head>
  : never;
/** The names of the places in a message. */
export type Places<S extends string> = S extends `${string}{${infer Rest}` ? First<Rest> | Places<Rest> : never;

/** What stands in the places of a message: numbers are written as the language does. */
type Given<S extends string, V> = [Places<S>] extends [never] ? [] : [given: Readonly<Record<Places<S>, V>>];

/** The messages of a room, in English. */
export type Texts = Readonly<Record<string, string>>;
/** Messages in another language, by room and name; what is missing is said in English. */
export type Translated = Readonly<Record<string, Texts | undefined>>;

/** A piece of a message: text, a place, or a number's forms. */
type Piece = string | { readonly place: string; readonly forms?: Readonly<Record<string, readonly Piece[]>> };

/** The pieces of a message. What is not written as above stands as it is: a translator's slip must not stop the page. */
export function piecesOf(message: string): readonly Piece[] {
  let at = 0;
  const until = (stop: string): string => {
    const end = message.indexOf(stop, at);
    const text = end < 0 ? message.slice(at) : message.slice(at, end);
    at = end < 0 ? message.length : end + stop.length;
    return text;
  };
  const pieces = (number: string, inside: boolean): readonly Piece[] => {
    const found: Piece[] = [];
    let text = "";
    const place = (piece: Piece): void => {
      if (text) found.push(text);
      text = "";
      found.push(piece);
    };
    while (at < message.length) {
      const c = message[at++]!;
      if (c === "}" && inside) break;
      if (c === "#" && number) place({ place: number });
      else if (c === "{") {
        const [, name, plural] = /^\s*([A-Za-z]\w*)\s*(,\s*plural\s*,)?/.exec(message.slice(at)) ?? [];
        if (name !== undefined && plural) {
          at = message.indexOf(plural, at) + plural.length;
          const forms: Record<string, readonly Piece[]> = {};
          while (at < message.length && message[at] !== "}") {
            const form = until("{").trim();
            forms[form] = pieces(name, true);
            while (message[at] === " ") at++;
          }
          at++;
          place({ place: name, forms });
        } else place({ place: until("}").trim() });
      } else text += c;
    }
    if (text) found.push(text);
    return found;
  };
  return pieces("", false);
}

/** The words in use: their language, and those that were handed in. */
let language = "en";
let translated: Translated | undefined;
const known = new Map<string, Translated>();
const parsed = new Map<string, readonly Piece[]>();
const once = <V>(make: () => V): (() => V) => {
  let [value, of]: [V | undefined, string] = [undefined, ""];
  return () => {
    if (value === undefined || of !== language) [value, of] = [make(), language];
    return value;
  };
};
const numbers = once(() => new Intl.NumberFormat(language));
const plurals = once(() => new Intl.PluralRules(language));
const english = new Intl.PluralRules("en");

/** The language that is spoken, as `Intl` and the attribute `lang` take it. */
export const spoken = (): string => language;
/** A number in the digits and groups of the language. */
export const number = (n: number): string => numbers().format(n);

/** Hands in messages of a language, beside those of it that are there. */
export function addMessages(tag: string, messages: Translated): void {
  const rooms = { ...known.get(tag.toLowerCase()) };
  for (const [room, texts] of Object.entries(messages)) rooms[room] = { ...rooms[room], ...texts };
  known.set(tag.toLowerCase(), rooms);
}

/**
 * Speaks a language if its messages were handed in, `de` for `de-AT` too, and English otherwise; `en-IN` is English with the
 * numbers of India. Whether anything is said otherwise now.
 */
export function speak(tag: string): boolean {
  const wanted = canonical(tag);
  const parts = wanted.toLowerCase().split("-");
  let found: Translated | undefined;
  for (let many = parts.length; many > 0 && !found; many--) found = known.get(parts.slice(0, many).join("-"));
  const next = found || parts[0] === "en" ? wanted : "en";
  if (next === language && found === translated) return false;
  [language, translated] = [next, found];
  return true;
}
function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en";
  } catch {
    return "en";
  }
}

/** What an error of the core means, for a language that says so by its code. */
export const errorText = (code: string): string | undefined => translated?.errors?.[code];

/** The pieces of a message with what stands in its places. */
function filled<V>(message: string, rules: Intl.PluralRules, given: Readonly<Record<string, V>>): (string | V)[] {
  let pieces = parsed.get(message);
  if (!pieces) parsed.set(message, (pieces = piecesOf(message)));
  const all: (string | V)[] = [];
  const add = (some: readonly Piece[]): void => {
    for (const piece of some) {
      if (typeof piece === "string") all.push(piece);
      else if (piece.forms) {
        const n = Number(given[piece.place]);
        add(piece.forms[`=${n}`] ?? piece.forms[rules.select(n)] ?? piece.forms.other ?? []);
      } else {
        const value = given[piece.place];
        all.push(typeof value === "number" ? number(value) : (value ?? `{${piece.place}}`));
      }
    }
  };
  add(pieces);
  return all;
}

/** What a room says: `msg` as text, `rich` as pieces among which elements may stand. */
export function speaker<T extends Texts>(room: string, texts: T) {
  const say = <V>(name: string, given: Readonly<Record<string, V>> = {}): (string | V)[] => {
    const own = translated?.[room]?.[name];
    return own === undefined ? filled(texts[name]!, english, given) : filled(own, plurals(), given);
  };
  return {
    msg: <K extends keyof T & string>(name: K, ...[given]: Given<T[K], string | number | undefined>): string =>
      say(name, given).join(""),
    rich: <K extends keyof T & string>(name: K, ...[given]: Given<T[K], unknown>): unknown[] => say(name, given),
  };
}
