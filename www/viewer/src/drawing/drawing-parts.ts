/** What drawing reads and writes with: fetched when editing begins. */
export { failureBar, waitingBar } from "./failure-bar.ts";
export { DrawnJournal, hasChanges, isLeft } from "./journal.ts";
export { copyInto, keepLabels } from "./keeping.ts";
export { classesIn, noteSaid, pointNamesIn, rasterOf, stepText } from "./read-record.ts";
export { Reviews } from "./reviews.ts";
export { go, seek } from "./seeking.ts";
export { Session } from "./session.ts";
export { shapesIn } from "./shape.ts";
export { Sketch } from "./sketch.ts";
export { takenWords } from "./taking.ts";
