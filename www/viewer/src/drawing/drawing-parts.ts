/** What drawing reads and writes with: fetched when editing begins. */
export { failureBar } from "./failure-bar.ts";
export { DrawnJournal, hasChanges, isLeft } from "./journal.ts";
export { copyInto, keepLabels } from "./keeping.ts";
export { classesIn, noteIn, noteSaid, rasterOf, reviewIn, stepText } from "./read-record.ts";
export { Session } from "./session.ts";
export { shapesIn } from "./shape.ts";
export { Sketch } from "./sketch.ts";
export { takenWords } from "./taking.ts";
