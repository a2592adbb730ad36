/** What the room `files` says. */
import { speaker } from "./language.ts";

export const files = {
  tooLargeShown: "{text} is too large to be shown",
  wasMadeSomebodyElseMoment: "{name} was made by somebody else in this moment: try again",
  cannotWrittenIntoFolder: "{name} cannot be written into the folder {folder}: {is}",
  browserGivesPageNoStore: "this browser gives the page no store, and it is too much to be held",
  couldNotUnpackedHereGunzip: "It could not be unpacked here: {message}. `gunzip` does so on the command line.",
  serverAnswered: "the server answered {status}",
} as const;

export const { msg, rich } = speaker("files", files);
