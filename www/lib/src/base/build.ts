/** Facts about this build, which the bundler fills in. */
declare const FOREBAY_THREADS: boolean;
declare const FOREBAY_COLUMNS: boolean;

/** Whether the threaded module is part of the package. */
export const THREADS: boolean = FOREBAY_THREADS;
/** Whether Parquet and Arrow are: the lean build of `npm start` leaves them out. */
export const COLUMNS: boolean = FOREBAY_COLUMNS;
