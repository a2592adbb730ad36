/// <reference lib="esnext.disposable" preserve="true" />
/** Samples that have addresses. */
import type { TensorOptions } from "./tensor.js";
import type { ThumbnailOptions } from "./thumbnails.js";

/** How samples get addresses. */
export interface RegisterOptions {
  /** What the dataset is called in addresses: letters, digits, dots and dashes. */
  id: string;
  /** The service worker's script, if it is to be registered too: where the site has its copy of `forebay-sw.js`. */
  script?: string | URL;
}

/** Addresses of samples, for as long as the page is open. */
export interface RegisteredSamples extends Disposable {
  /** What the dataset is called in them. */
  readonly id: string;
  /** The address of a sample's payload. */
  url(i: number): string;
  /** The address of a sample's metadata. */
  recordUrl(i: number): string;
  /** The address of a sample's thumbnail. */
  thumbnailUrl(i: number, options?: Pick<ThumbnailOptions, "size" | "box">): string;
  /** The address of a sample's tensor, as a file of NumPy's format. */
  tensorUrl(i: number, options: Omit<TensorOptions, "into" | "signal" | "verify">): string;
  /** Takes the addresses back; the dataset stays open. */
  close(): void;
}
