/** Facts about this build, which the bundler fills in. */
declare const FOREBAY_THREADS: boolean;

/** Whether the threaded module is part of the package. */
export const THREADS: boolean = FOREBAY_THREADS;
