// A dataset to be edited in the built site: pictures with boxes, in a TBL that the package makes.
import { convert, memorySink, open } from 'forebay';
import { smallPng } from '../../../scripts/lib/png.mjs';
import { member } from '../lib/helpers.mjs';

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
