/** What kinds of differences are called. */
import { msg } from "../messages/comparing.ts";
import type { Kind } from "./groups.ts";

export function titleOf(kind: Kind): string {
  const titles: Record<Kind, string> = {
    added: msg("added"),
    removed: msg("removed"),
    picture: msg("picture"),
    boxes: msg("boxes"),
    metadata: msg("metadata"),
  };
  return titles[kind];
}
