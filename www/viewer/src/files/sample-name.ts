/** What links call the dataset to try the viewer with; `sample-dataset.ts` draws it. */
export const SAMPLE = "sample:harbor";
