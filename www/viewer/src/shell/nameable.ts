/** What others hand to `open`, with a name for those who look at it and one for links. */
import type { Folder, Input } from "../../../lib/src/model/index.ts";

/** Something to open. */
export interface Named {
  readonly input: Input | Folder;
  readonly name: string;
  /** What links call it. */
  readonly file: string;
}

/** What an address is called: its last part; a warehouse is called by its folder. */
export function nameOf(address: string): string {
  const parts = address.replace(/[?#].*$/, "").split("/");
  const last = (parts.at(-1) === "manifest.json" && parts.at(-2)) || parts.at(-1) || "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Names an input: as it is told, as it calls itself, or by its address. */
export async function nameable(input: Input | Folder, told?: string): Promise<Named> {
  if (typeof input === "string" || input instanceof URL) {
    const url = new URL(input, document.baseURI);
    return { input: url, name: told ?? nameOf(url.href), file: url.href };
  }
  // Texts and what is packed are read as a file is.
  const given = "getFile" in input ? await input.getFile() : input;
  const own = "name" in given && typeof given.name === "string" ? given.name : "";
  const name = told ?? (own || "dataset");
  return { input: given, name, file: `local:${name}` };
}
