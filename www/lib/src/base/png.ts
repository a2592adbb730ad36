/** Pixels as a PNG, for environments that have no encoder of pictures: packed by the platform's own stream. */

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** A piece of the file: its length, its name, what it holds, and a checksum. */
export function pngChunk(name: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(content.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length);
  for (let k = 0; k < 4; k++) chunk[4 + k] = name.charCodeAt(k);
  chunk.set(content, 8);
  view.setUint32(content.length + 8, crc32(chunk.subarray(4, content.length + 8)));
  return chunk;
}

/** Red, green and blue of each pixel, row by row, as a file. */
export async function encodePng(rgb: Uint8Array, width: number, height: number): Promise<Blob> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // Eight bits of three colors.
  header.set([8, 2, 0, 0, 0], 8);
  const row = width * 3;
  const lines = new Uint8Array((row + 1) * height);
  for (let y = 0; y < height; y++) {
    const at = y * (row + 1);
    // Each byte as its difference to the pixel on the left: that packs pictures far better than what they are.
    lines[at] = 1;
    for (let x = 0; x < row; x++) lines[at + 1 + x] = rgb[y * row + x]! - (x < 3 ? 0 : rgb[y * row + x - 3]!);
  }
  const packed = new Blob([lines]).stream().pipeThrough(new CompressionStream("deflate"));
  const content = new Uint8Array(await new Response(packed).arrayBuffer());
  return new Blob(
    [
      Uint8Array.from(SIGNATURE),
      pngChunk("IHDR", header),
      pngChunk("IDAT", content),
      pngChunk("IEND", new Uint8Array()),
    ],
    { type: "image/png" },
  );
}
