/** Options of a test that takes long and seldom fails alone: `npm test` leaves it to `npm test -- --all`, and everybody else runs it. */
export const SLOW = process.env.FOREBAY_EVERY_DAY ? { skip: 'npm test -- --all runs it' } : {};
