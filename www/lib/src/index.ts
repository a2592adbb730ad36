/**
 * Opens, checks and converts machine-learning dataset files in browsers and Node.
 *
 * @module
 */
export type * from "./types.js";
