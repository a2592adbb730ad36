/** The state of the page in its address: `#file=...&i=17&q=width%20>%20100`. */

const VIEWS = ["gallery", "table", "boxes", "map"] as const;
/** How samples are shown. */
export type View = (typeof VIEWS)[number];

/** What a link says. */
export interface Link {
  /** A URL; `local:NAME` stands for a file of this machine that was opened before. */
  readonly file?: string;
  /** The sample that is open. */
  readonly i?: number;
  /** The filter. */
  readonly q?: string;
  readonly view?: View;
}

/** Reads the part of an address behind `#`. What is invalid is left out. */
export function parseLink(hash: string): Link {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const i = fields.get("i");
  const view = fields.get("view");
  return {
    ...(fields.get("file") && { file: fields.get("file")! }),
    ...(i !== null && /^\d{1,15}$/.test(i) && { i: Number(i) }),
    ...(fields.get("q") && { q: fields.get("q")! }),
    ...(VIEWS.some((one) => one === view) && { view: view as View }),
  };
}

/** Writes it. Slashes and colons stay readable. */
export function formatLink(link: Link): string {
  const parts = Object.entries(link).filter(([, value]) => value !== undefined && value !== "");
  const written = parts.map(
    ([key, value]) => `${key}=${encodeURIComponent(String(value)).replace(/%2F/g, "/").replace(/%3A/g, ":")}`,
  );
  return written.length > 0 ? `#${written.join("&")}` : "";
}

/** The address that a link's file stands for; only the web's schemes, and the Hub's, which the package knows. */
export function fileUrl(file: string, base: string): URL | null {
  try {
    const url = new URL(file, base);
    return ["http:", "https:", "hf:"].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** Makes the page's address that of a file, shown as `more` says; from the empty page, "back" leads to the empty page. */
export function pointTo(file: string, more: Omit<Link, "file"> = {}): void {
  const link = formatLink({ file, ...more });
  if (location.hash === "") history.pushState(null, "", link);
  else history.replaceState(null, "", link);
}
