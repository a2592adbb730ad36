/** Tensors as files of NumPy's format, which says of itself what it holds. */
import type { Tensor } from "../model/index.js";

/** The header is padded to a multiple of this, so that the numbers lie where memory wants them. */
const ALIGNED = 64;
/** The magic, version 1.0, and the length of what follows. */
const PREFIX = 10;

/** The type of such a file. */
export const NPY = "application/octet-stream";

/** A tensor as a file: `numpy.load` reads it. */
export function npyOf({ data, shape }: Tensor): Blob {
  const dtype = data instanceof Float32Array ? "<f4" : "|u1";
  const said = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`;
  const length = Math.ceil((PREFIX + said.length + 1) / ALIGNED) * ALIGNED;
  const header = new Uint8Array(length).fill(0x20);
  header.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, (length - PREFIX) & 0xff, (length - PREFIX) >> 8]);
  header.set(new TextEncoder().encode(said), PREFIX);
  header[length - 1] = 0x0a;
  return new Blob([header, data as Uint8Array<ArrayBuffer>], { type: NPY });
}
