/** What the file is called that is made of another. */
import { stem } from "../ui/wording.ts";

/** What disks of all systems refuse in a name, or read as something else. */
const REFUSED = /[\u0000-\u001f\u007f<>:"/\\|?*]/g;
const folded = (name: string): string => name.normalize("NFC").toLowerCase();

/** A name that disks take. */
export const plainName = (name: string): string => name.replace(REFUSED, "_").replace(/^[.\s]+|[.\s]+$/g, "") || "file";

/** How the new file differs from the old one. */
export interface Made {
  /** Its extension. */
  readonly to: string;
  /** What it is called where nobody knows a name. */
  readonly otherwise: string;
  /** Only a part was chosen. */
  readonly selection: boolean;
  /** What sets it apart where the format is the same. */
  readonly apart: string;
}

/**
 * A name for what is made of a file. It is never the file's own, also not on a disk that knows no capitals: whoever
 * agrees to what is offered must not lose what it was made of.
 */
export function outputName(source: string | undefined, { to, otherwise, selection, apart }: Made): string {
  const own = stem(source, otherwise);
  const name = plainName(`${own}${selection ? "-selection" : ""}.${to}`);
  return folded(name) === folded(source?.split("/").pop() ?? "") ? plainName(`${own}-${apart}.${to}`) : name;
}
