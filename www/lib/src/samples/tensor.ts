import * as argument from "../base/arguments.js";
import { hostError } from "../model/errors.js";
import { call, client } from "../pool/pool.js";
import type { SampleInfo, Tensor, TensorOptions } from "../model/index.js";

/** What the sides of a tensor fit into. */
const LARGEST = 2 ** 32 - 1;
/** The words of some options; the compiler holds each list to its type. */
const WORDS: { [K in "dtype" | "layout" | "fit" | "resampling"]: { [W in NonNullable<TensorOptions[K]>]: true } } = {
  dtype: { f32: true, u8: true },
  layout: { nchw: true, nhwc: true },
  fit: { stretch: true, "center-crop": true, pad: true, letterbox: true },
  resampling: { nearest: true, bilinear: true, "bilinear-plain": true, bicubic: true, lanczos: true },
};
const IMAGENET = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };

/** Makes a payload's tensor in whichever worker is next: pictures that are asked for together are made side by side. */
export async function tensorOf(
  payload: Uint8Array,
  info: SampleInfo,
  file: string | undefined,
  options: TensorOptions,
): Promise<Tensor> {
  const {
    size,
    dtype = "f32",
    layout = "nchw",
    fit = "stretch",
    short,
    fill,
    resampling = "bilinear",
    normalize,
    orient = false,
    into,
  } = options;
  if (!Array.isArray(size) || size.length !== 2)
    throw hostError("usage.argument", "a tensor needs its size: [width, height]", { file });
  for (const [i, what] of ["width", "height"].entries()) argument.whole(size[i], `a tensor's ${what}`, 1, LARGEST);
  if (short !== undefined) argument.whole(short, "short", 1, LARGEST);
  for (const [name, value] of Object.entries({ dtype, layout, fit, resampling })) {
    const all = Object.keys(WORDS[name as keyof typeof WORDS]);
    if (!all.includes(value))
      throw hostError("usage.argument", `${name} is one of ${all.join(", ")}, not ${JSON.stringify(value)}`, { file });
  }
  if (
    into &&
    (into.length !== size[0] * size[1] * 3 ||
      into instanceof Float32Array !== (dtype === "f32") ||
      into.byteLength !== into.buffer.byteLength)
  ) {
    throw hostError(
      "usage.argument",
      `the array to write into must have ${size[0]} x ${size[1]} x 3 values of ${dtype}, and nothing else`,
      { file },
    );
  }
  if (normalize !== undefined && normalize !== "imagenet" && !(normalize?.mean && normalize.std)) {
    throw hostError(
      "usage.argument",
      `what normalizes is "imagenet" or { mean, std }, not ${JSON.stringify(normalize)}`,
      { file },
    );
  }
  const { mean, std } = normalize === "imagenet" ? IMAGENET : (normalize ?? {});
  const wanted = JSON.stringify({ size, dtype, layout, fit, short, fill, resampling, mean, std, orient });
  const raw = info.format === "raw_u8" ? [info.width, info.height] : [0, 0];
  const whole = payload.byteLength === payload.buffer.byteLength ? payload : payload.slice();
  const data = await call(
    await client(),
    file,
    "tensor",
    [wanted, whole, raw[0]!, raw[1]!, into ?? null],
    [whole.buffer as ArrayBuffer, ...(into ? [into.buffer as ArrayBuffer] : [])],
  );
  const [width, height] = size;
  return { data, width, height, shape: layout === "nchw" ? [3, height, width] : [height, width, 3] };
}
