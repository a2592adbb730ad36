/** What the room `editing` says. */
import { speaker } from "./language.ts";

export const editing = {
  editing: "editing",
  editingOverEditsKept: "editing is over, the edits are kept",
  pictureHasMoreBoxesThan: "This image has more boxes than can be drawn, so it is not edited here.",
  boxesPictureCannotDrawnWill:
    "{lost, plural, one {# box} other {# boxes}} of this image cannot be drawn, and will be lost when it is changed.",
  meaningNotStated:
    "The file does not state what the numbers of its boxes mean. Say it before you draw here: the other boxes of the image are saved along.",
  class: "class {label}",
  nothingUndo: "nothing to undo",
  nothingRedo: "nothing to redo",
  notReviewed: "not reviewed",
  acceptedSample: "accepted sample",
  rejected: "rejected",
  rejectedSample: "rejected sample",
  samplesChanged: "{samples, plural, one {# sample} other {# samples}} changed",
  everySampleReviewed: "every sample is reviewed",
  pictureNotThere: "the image is not loaded yet",
  thereNoPictureBefore: "this is the first image",
  boxesCopied: "{fresh, plural, one {# box} other {# boxes}} copied",
  nothingCopy: "nothing to copy",
  datasetNotEdited: "this dataset is not edited",
  allEditsThrownAway: "all edits are thrown away",
  noClassHasKey: "no class has the key {key}",
  drawReviewLabels: "Draw and review labels (E)",
  noImageFound: "no such image",
  edit: "Edit",
  keyIsClass: "key {key} is {name}",
  changesNotKept:
    "{pending, plural, one {# change} other {# changes}} could not be kept. The page holds what is not kept, and tries again when this dataset is edited again.",
} as const;

export const { msg, rich } = speaker("editing", editing);
