// A dataset to be edited in the built site: pictures with boxes, in a TBL that the package makes.
import { convert, memorySink, open } from 'forebay';
import { smallPng } from '../../../scripts/lib/png.mjs';

function member(name, content) {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0ustar\0', 156);
  header.write('00', 263);
  const sum = header.reduce((a, b) => a + b, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc(-content.length & 511)]);
}

/** A TBL of pictures of this size; `record` says what is beside each. */
export async function tblOf(samples, width, height, record) {
  const parts = [];
  for (let i = 0; i < samples; i++) {
    const pixels = Buffer.alloc(width * height * 4, 255);
    for (let k = 0; k < pixels.length; k += 4) pixels.set([60 + ((k / 4) % width) / 8, 90 + i * 9, 150], k);
    const key = `train/${String(i).padStart(4, '0')}`;
    parts.push(member(`${key}.png`, Buffer.from(smallPng(width, height, pixels))));
    parts.push(member(`${key}.json`, Buffer.from(JSON.stringify(record(i)))));
  }
  const sink = memorySink();
  await convert(new Blob([...parts, Buffer.alloc(1024)]), sink, { to: 'tbl' });
  return Buffer.from(sink.bytes());
}

/** The records of a TBL. */
export async function recordsOf(bytes, name = 'read.tbl') {
  const dataset = await open(new File([bytes], name));
  const records = [];
  for (let i = 0; i < dataset.length; i++) records.push(await dataset.record(i));
  const document = await dataset.document();
  dataset.close();
  return { records, document };
}
