/** What is said of whether the changes are kept. */
import type { DrawingActions } from "./actions.ts";
import { msg } from "../messages/drawing.ts";

export function keptWords({ pending, unkept, risk }: Pick<DrawingActions, "pending" | "unkept" | "risk">): string {
  if (unkept) return "";
  if (pending > 1) return msg("keepingChanges", { pending });
  if (pending > 0) return msg("keeping");
  return risk === "page" ? msg("keptWhilePageOpen") : msg("everyChangeKept");
}
