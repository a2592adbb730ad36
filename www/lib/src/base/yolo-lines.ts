/** Lines of YOLO: a class, and shares of the picture. */

/** How far outside of the picture a part of it may lie, in pictures: beyond, its numbers mean something else. */
const BEYOND = 1;

/** The words of each line that has any. */
export const columns = (text: string): string[][] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => line.split(/\s+/));
/** Words that are numbers, or what tools write where a number went wrong. */
const numeric = (word: string): boolean => !Number.isNaN(Number(word)) || /^[+-]?(nan|inf)$/i.test(word);
const like = (line: string[]): boolean =>
  /^\d+$/.test(line[0]!) &&
  (line.length === 5 || line.length === 6 || (line.length >= 7 && line.length % 2 === 1)) &&
  line.every(numeric);
/** The numbers of a line behind its class. */
export const parts = (line: string[]): number[] => line.slice(1).map(Number);
/** Whether the numbers of a line can be shares of a picture. */
export const within = (line: string[]): boolean => parts(line).every((v) => v >= -BEYOND && v <= 1 + BEYOND);

/** Whether all lines are such, at least one of them good: a text that has any other line is a caption. */
export function isYolo(text: string): boolean {
  const lines = columns(text);
  return lines.length > 0 && lines.every(like) && lines.some(within);
}
