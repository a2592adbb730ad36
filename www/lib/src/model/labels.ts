/** Labels: what is where in pictures, in one model for all formats. */
import type { Folder } from "./folder.js";
import type { Input } from "./io.js";
import type { HttpOptions } from "./io.js";
import type { LabelMeaning } from "./module-options.js";
import type { Limits, Progress } from "./opened.js";
import type { LabelCount, LabelNotes } from "./reports.js";

/** The formats of labels that are read. */
export type LabelFormat =
  | "coco"
  | "yolo"
  | "voc"
  | "cvat"
  | "labelstudio"
  | "recorder"
  | "labelme"
  | "via"
  | "createml"
  | "kitti"
  | "dota"
  | "openimages";

/** The formats of labels that are written. */
export type WrittenLabelFormat = "coco" | "yolo" | "voc" | "cvat" | "labelstudio" | "labelme" | "via" | "createml";

/** What a file calls something by. */
export type LabelId = number | bigint | string;

/** A class. */
export interface LabelClass {
  /** Its name. */
  name: string;
  /** The number or text that the file gives it; COCO's numbers have gaps. */
  id?: LabelId;
  /** The class that it belongs to. */
  group?: string;
  /** Names of its key points. */
  keypoints?: string[];
  /** Which key points a line joins, by their numbers from 1. */
  skeleton?: [number, number][];
}

/** A key point. */
export interface LabelKeypoint {
  /** Pixels from the left. */
  x: number;
  /** Pixels from the top. */
  y: number;
  /** 0: not marked; 1: marked and hidden; 2: seen. */
  visibility: number;
}

/** Corners in continuous pixels, counted from 0: a box around only the first pixel is `[0, 0, 1, 1]`. */
export type PixelBox = [left: number, top: number, right: number, bottom: number];

/** One object in one picture. */
export interface LabelAnnotation {
  /**
   * What marks it: its `box`; a box that was turned (`unturned`, `degrees`); outlines (`outlines`); the pixels that belong to
   * it (`mask`); only `keypoints`. Default: `box`.
   */
  shape?: "box" | "rotated" | "polygon" | "mask" | "points";
  /** The upright rectangle around it, as the file says it: it may leave the picture. */
  box: PixelBox;
  /** Its class, a number in {@link Labels.classes}; left out where nobody said. */
  class?: number;
  /** Of a turned box: the box before its turn. */
  unturned?: PixelBox;
  /** Of a turned box: the turn about its center, clockwise as it is seen. */
  degrees?: number;
  /** Of outlines: their points. */
  outlines?: [x: number, y: number][][];
  /** Of a mask: its size, and how many pixels are off, then on, then off …, column by column. */
  mask?: {
    /** Pixels across. */
    width: number;
    /** Pixels down. */
    height: number;
    /** The runs. */
    counts: number[];
  };
  /** Key points, in the order of the class's names. */
  keypoints?: LabelKeypoint[];
  /** How sure its maker is. */
  score?: number;
  /** Who made it. */
  source?: "human" | "model" | "simulator";
  /** It marks a group of objects that could not be told apart. */
  crowd?: boolean;
  /** It is hard to see. */
  difficult?: boolean;
  /** The object goes on beyond the picture. */
  truncated?: boolean;
  /** Something stands in front of it. */
  occluded?: boolean;
  /** It is not in the picture: where a track of a video leaves it. */
  outside?: boolean;
  /** Whatever else the file says of it: names and values. */
  attributes?: [name: string, value: string][];
  /** What the file calls it by. Real files repeat these. */
  id?: LabelId;
  /** The track of a video that it belongs to. */
  track?: number | bigint;
}

/** A picture and what is marked in it. */
export interface LabelPicture {
  /** Its name, relative to the folder of the pictures. */
  name: string;
  /** Pixels across, if they are known. */
  width?: number;
  /** Pixels down, if they are known. */
  height?: number;
  /** What the file calls it by. */
  id?: LabelId;
  /** What is marked in it. None says that nothing is there, unless the picture is {@link unlabelled}. */
  annotations: LabelAnnotation[];
  /** Nobody has looked at it yet. */
  unlabelled?: boolean;
  /** The line that names it, from 1. */
  line?: number;
}

/** The labels of a set of pictures: plain objects, to be changed and written as they are. */
export interface Labels {
  /** The classes. No two have one name. */
  classes: LabelClass[];
  /** The pictures, in the order in which the files name them. */
  pictures: LabelPicture[];
}

/** Labels that were read. */
export interface ReadLabels extends Labels {
  /** The format that they had. */
  readonly format: LabelFormat;
  /** What was found on the way. */
  readonly notes: LabelNotes;
}

/** What {@link readLabels} takes: one file, or a folder of them. */
export type LabelInput = Input | Folder;

/** How to read labels. If a file cannot say by itself what would change what is read, the error names the option. */
export interface ReadLabelsOptions extends Omit<LabelMeaning, "boxes"> {
  /** The format, whatever the files look like. Default: found out. */
  format?: LabelFormat;
  /** The folder of the pictures: their own sizes count, and a picture that is not there is a fault. */
  pictures?: Folder | string | URL;
  /** Numbers the classes as this project does; a class that it does not have is `label.class`. Not for counting. */
  project?: Project;
  /** Bounds on what the files may cost. */
  limits?: Limits;
  /** For a URL: how to fetch. */
  http?: HttpOptions;
  /** The name to show, if the input has none. */
  name?: string;
  /** Ends the reading. */
  signal?: AbortSignal;
  /** Hears how far it is: `samples` are pictures found so far. */
  onProgress?: (progress: Progress) => void;
}

/** How to write labels. */
export interface WriteLabelsOptions {
  /** Numbers the classes as this project does; a class that it does not have is `label.class`. */
  project?: Project;
  /** Ends the writing; the sink's `abort` is called. */
  signal?: AbortSignal;
  /** Hears how far it is: `samples` are pictures handed over. */
  onProgress?: (progress: Progress) => void;
}

/**
 * How to export the labels of samples. What metadata that other programs wrote means is said as for `forebay labels`; the error
 * names the option where it could mean several things.
 */
export interface ExportLabelsOptions
  extends Pick<LabelMeaning, "boxes" | "vocBase" | "task" | "scores" | "names" | "classes"> {
  /** Only samples that this filter accepts. Not with a journal. */
  where?: string;
  /** Only these samples, in this order. Not with a journal. */
  indexes?: ArrayLike<number> | Iterable<number>;
  /** Numbers the classes as this project does, whatever else lists them; a class that it does not have is `label.class`. */
  project?: Project;
  /** Ends the export; the sink's `abort` is called. */
  signal?: AbortSignal;
  /** Hears how far it is: `samples` are those that were looked at. */
  onProgress?: (progress: Progress) => void;
}

/** Where the files of a format go that has one for each picture: several files, each by its place in a folder. */
export interface FolderSink {
  /** A whole file. */
  put(path: string, bytes: Uint8Array): Promise<void>;
  /** Everything was written. */
  close?(): Promise<void>;
  /** It failed or was canceled: what was written is not wanted. */
  abort?(reason: unknown): Promise<void>;
}

/** What was written. */
export interface WrittenLabels {
  /** How many files. */
  readonly files: number;
  /** How many bytes. */
  readonly bytes: number;
  /** What the format could not say, counted by cause. */
  readonly losses: readonly LabelCount[];
}

/** A class of a project. */
export interface ProjectClass {
  /** Its name. */
  readonly name: string;
  /** Its number in formats that number classes freely, such as COCO. */
  readonly id?: number | string;
  /** The class that it belongs to. */
  readonly supercategory?: string;
  /** Names of its key points. */
  readonly keypoints?: readonly string[];
  /** Which key points a line joins, by their numbers from 1. */
  readonly skeleton?: readonly (readonly [number, number])[];
  /** Its color, such as `#1f77b4`. */
  readonly color?: string;
  /** The key that chooses it, 1 to 9. */
  readonly key?: number;
  /** Attributes that its boxes have, each with the texts that it may be; an empty list allows any. */
  readonly attributes?: { readonly [name: string]: readonly string[] };
}

/** A project: its classes, in the order that gives them their numbers. */
export interface Project {
  /** The version of the file. */
  readonly forebay_project: 1;
  /** The classes. */
  readonly classes: readonly ProjectClass[];
}
