// ZIP archives as tools write them.
import { crc32, deflateRawSync } from 'node:zlib';

/** A ZIP of these files, each deflated or not; sizes stand behind the payload where `streamed` says so. */
export function zipOf(files, { streamed = false } = {}) {
  const [parts, directory] = [[], []];
  let at = 0;
  for (const [name, content, packed] of files) {
    const stored = packed ? deflateRawSync(content) : content;
    const field = (behind, sizes) => {
      const head = Buffer.alloc(26);
      head.writeUInt16LE(20, 0);
      head.writeUInt16LE(0x800 | (streamed ? 8 : 0), 2);
      head.writeUInt16LE(packed ? 8 : 0, 4);
      if (sizes) {
        head.writeUInt32LE(crc32(content), 10);
        head.writeUInt32LE(stored.length, 14);
        head.writeUInt32LE(content.length, 18);
      }
      head.writeUInt16LE(Buffer.byteLength(name), 22);
      head.writeUInt16LE(behind, 24);
      return head;
    };
    const descriptor = Buffer.alloc(streamed ? 16 : 0);
    if (streamed) {
      descriptor.write('PK\x07\x08', 'latin1');
      descriptor.writeUInt32LE(crc32(content), 4);
      descriptor.writeUInt32LE(stored.length, 8);
      descriptor.writeUInt32LE(content.length, 12);
    }
    // An extra field that only this header has.
    const extra = Buffer.from([0x55, 0x54, 5, 0, 1, 0, 0, 0, 0]);
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04', 'latin1'),
      field(extra.length, !streamed),
      Buffer.from(name),
      extra,
      stored,
      descriptor,
    ]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), field(0, true), rest, Buffer.from(name)]),
    );
    parts.push(local);
    at += local.length;
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...parts, ...directory, end]));
}
