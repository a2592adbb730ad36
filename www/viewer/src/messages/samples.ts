/** What the room `samples` says. */
import { speaker } from "./language.ts";

export const samples = {
  labelsOfOtherSize:
    "the labels are of a picture of {wide} by {tall}, and are drawn to fit this one of {width} by {height}",
  labelsOfOtherPicture: "the labels are of a picture of {wide} by {tall}, which this one of {width} by {height} is not",
  fourNumbersTakenXY: "Four numbers are taken for x, y, width and height, though nothing says so.",
  xYTakenCornerThough: "x and y are taken for a corner, though nothing says that they are not the center.",
  numbersFrom01Taken: "Numbers from 0 to 1 are taken for shares of the picture, though nothing says so.",
  sixthNumberLineTakenScore: "The sixth number of a line is taken for a score, though nothing says so.",
  linesMoreThanSixNumbers: "Lines of more than six numbers are taken for outlines, though nothing says so.",
  firstPixelTakenNumber0: "The first pixel is taken for number 0; in Pascal VOC's own files it has number 1.",
  boxesThoseDrawn: "Boxes are in {path} and in {path2}; those of {path} are drawn.",
  picture: "Picture",
  aspect: "Aspect",
  stored: "Stored",
  offset: "Offset",
  codec: "Codec",
} as const;

export const { msg, rich } = speaker("samples", samples);
