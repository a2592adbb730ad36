/** What the room `samples` says. */
import { speaker } from "./language.ts";

export const samples = {
  labelsOfOtherSize:
    "the labels are of an image of {wide} by {tall}, and are drawn to fit this one of {width} by {height}",
  labelsOfOtherPicture: "the labels are of an image of {wide} by {tall}, which this one of {width} by {height} is not",
  boxesReadAs: "Boxes are read as {layout} (not stated in the file).",
  xywh: "x, y, width, height",
  xyxy: "left, top, right, bottom",
  cxcywh: "center x, center y, width, height",
  xywhn: "x, y, width, height from 0 to 1",
  xyxyn: "left, top, right, bottom from 0 to 1",
  cxcywhn: "center x, center y, width, height from 0 to 1",
  sixthNumberScore: "The sixth number of a YOLO line is read as a score (not stated in the file).",
  linesReadAsOutlines: "YOLO lines of more than six numbers are read as outlines (not stated in the file).",
  firstPixelIs: "The first pixel is read as number {base} (not stated in the file).",
  boxesReadFrom: "Several fields have boxes; those of {path} are read.",
  picture: "Image",
  aspect: "Aspect",
  stored: "Stored",
  offset: "Offset",
  codec: "Codec",
} as const;

export const { msg, rich } = speaker("samples", samples);
