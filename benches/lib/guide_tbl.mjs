// A guide TBL of many samples that are alike, whose payloads nobody looks at.

const HEADER = 64;
const ENTRY = 24;

/** Where the payloads of such a file begin. */
export const payloadsAt = (samples) => HEADER + samples * ENTRY;

/**
 * Its header and index: `samples` pictures of 640 x 480 with `stored` bytes each, one every `each` bytes, and behind them `metadata`
 * bytes of a JSON document.
 */
export function frontOf({ samples, stored, each, metadata }) {
  const start = payloadsAt(samples);
  const front = Buffer.alloc(start);
  front.write('TBL\x02', 0, 'latin1');
  front.writeUInt32LE(2, 4);
  front.writeBigUInt64LE(BigInt(samples), 8);
  front.writeUInt32LE(ENTRY, 17);
  front.writeBigUInt64LE(BigInt(start + samples * each), 21);
  front.writeUInt32LE(metadata, 29);
  front[33] = 1;
  for (let i = 0; i < samples; i++) {
    const at = HEADER + i * ENTRY;
    front.writeBigUInt64LE(BigInt(start + i * each), at);
    front.writeUInt32LE(stored, at + 8);
    front.writeUInt32LE(stored, at + 12);
    front[at + 16] = 1;
    front.writeUInt16LE(640, at + 17);
    front.writeUInt16LE(480, at + 19);
    front.writeUInt16LE(modbus(front, at), at + 21);
  }
  return front;
}

/** CRC-16/MODBUS over an entry of the index, without the checksum's own bytes. */
function modbus(bytes, from) {
  let crc = 0xffff;
  for (let at = from; at < from + ENTRY; at++) {
    if (at === from + 21 || at === from + 22) continue;
    crc ^= bytes[at];
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
