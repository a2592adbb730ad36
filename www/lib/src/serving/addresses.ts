/** What stands behind the `?` of an address: how a picture is made small, or numbers. */
import { hostError } from "../model/errors.js";
import type { TensorOptions, ThumbnailOptions } from "../model/index.js";

const numbers = (value: string): number[] => value.split(",").map(Number);

/** An address says something that is not known. */
const unknown = (what: string, names: string, name: string): Error =>
  hostError("usage.argument", `a ${what}'s address has ${names}, and not ${JSON.stringify(name)}`);

/** What an address says of a thumbnail. */
export function thumbnailOptions(search: string): ThumbnailOptions {
  const options: ThumbnailOptions = {};
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === "size") options.size = Number(value);
    else if (name === "quality") options.quality = Number(value);
    else if (name === "type") options.type = value as NonNullable<ThumbnailOptions["type"]>;
    else if (name === "box") options.box = numbers(value) as unknown as NonNullable<ThumbnailOptions["box"]>;
    else throw unknown("thumbnail", "size, box, type and quality", name);
  }
  return options;
}

/** What can stand in the address of a tensor. */
export type TensorAddress = Omit<TensorOptions, "into" | "signal" | "verify">;

/** What an address says of a tensor; what the values may be is looked at where it is made. */
export function tensorOptions(search: string): TensorAddress {
  const said = new URLSearchParams(search);
  const options: { -readonly [K in keyof TensorAddress]?: unknown } = {};
  const normalize: { mean?: number[]; std?: number[] } = {};
  for (const [name, value] of said) {
    if (name === "size" || name === "fill") options[name] = numbers(value);
    else if (name === "short") options.short = Number(value);
    else if (name === "orient") options.orient = value !== "false" && value !== "0";
    else if (name === "mean" || name === "std") normalize[name] = numbers(value);
    else if (name === "normalize" || name === "dtype" || name === "layout" || name === "fit" || name === "resampling")
      options[name] = value;
    else
      throw unknown(
        "tensor",
        "size, dtype, layout, fit, short, fill, resampling, normalize, mean, std and orient",
        name,
      );
  }
  if (normalize.mean || normalize.std) options.normalize = normalize;
  return options as TensorAddress;
}

/** The other way: what stands behind the `?` for these options. */
export function searchOf(options: object): string {
  const said = Object.entries(options)
    .flatMap(([name, value]): [string, unknown][] =>
      name === "normalize" && typeof value === "object" && value !== null ? Object.entries(value) : [[name, value]],
    )
    .filter(([, value]) => value !== undefined)
    // Commas may stand there as they are.
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll("%2C", ",")}`);
  return said.length > 0 ? `?${said.join("&")}` : "";
}
