/**
 * What the viewer says in English, by room: what a translation begins with.
 *
 * @module
 */
export { en, type ViewerMessages } from "./messages/en.ts";
