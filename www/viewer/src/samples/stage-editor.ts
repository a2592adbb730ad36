/** What may lie over the picture of a sample in the place of its boxes, to change them. */
import type { TemplateResult } from "lit";
import type { Json } from "../../../lib/src/model/index.ts";
import type { Annotations } from "../../../lib/src/base/boxes.ts";
import type { Placed } from "./box-names.ts";

/** A picture that is shown, with what is known of it. */
export interface ShownPicture {
  readonly index: number;
  readonly record: Json;
  readonly annotations: Annotations;
  readonly width: number;
  readonly height: number;
  /** A browser would turn it, and it is drawn as it is stored. */
  readonly asStored: boolean;
}

export interface StageEditor {
  /** A pen draws: fingers move the picture, and do nothing else. */
  pen(): boolean;
  /** Another sample is read. */
  leave(): void;
  /** A picture and its boxes are there, or other boxes of it. */
  show(shown: ShownPicture): void;
  /** One of its boxes is to be looked at. */
  select(nth: number): void;
  /** The picture stands elsewhere on the stage, or is larger. */
  place(placed: Placed): void;
  /** Over the picture. */
  layer(): TemplateResult;
  /** Above it: how far the work is, and whether it is kept. */
  bar(): TemplateResult;
  /** The page beside it. */
  page(): TemplateResult;
  /** What is to be looked at closely, in pixels of the image; nothing where nothing is selected. */
  bounds(): { readonly x: number; readonly y: number; readonly w: number; readonly h: number } | null;
}
