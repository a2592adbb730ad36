"""What the real `turboloader` package reads and writes, as JSON lines.

usage: peer.py read FILE | raw FILE | load-raw FILE | write FILE none|lz4 | write-raw FILE
"""
import hashlib
import json
import random
import sys

import turboloader as t


def sha(data):
    return hashlib.sha256(data).hexdigest()


def say(**fields):
    print(json.dumps(fields))


def number(value):
    return int(getattr(value, "value", value))


def read(path):
    reader = t.TblReaderV2(path)
    for i in range(reader.num_samples()):
        info = reader.get_sample_info(i)
        text, kind = reader.read_metadata(i)
        say(
            i=i,
            sha256=sha(reader.read_sample(i)),
            bytes=info["uncompressed_size"],
            stored_bytes=info["size"],
            offset=info["offset"],
            width=info["width"],
            height=info["height"],
            format=number(info["format"]),
            lz4=info["is_compressed"],
            metadata=text,
            kind=number(kind),
        )


def raw(path):
    from turboloader.tbl import open_raw_view

    view, height, width = open_raw_view(path)
    say(shape=list(view.shape), height=height, width=width, sha256=[sha(image.tobytes()) for image in view])


def load_raw(path):
    images, shape = 0, None
    for batch, _ in t.DataLoader(path, batch_size=16, output_format="pytorch", transform=t.ImageNetNormalize()):
        images, shape = images + len(batch), list(batch.shape[1:])
    say(images=images, shape=shape)


def write(path, compression):
    formats = [t.SampleFormat.JPEG, t.SampleFormat.PNG, t.SampleFormat.WEBP, t.SampleFormat.BMP, t.SampleFormat.TIFF]
    writer = t.TblWriterV2(path, enable_compression=compression == "lz4")
    dice = random.Random(20)
    for i in range(300):
        size = dice.choice([0, 1, 7, 100, 1000, 20000])
        data = dice.randbytes(size) if i % 3 else bytes([i % 256]) * size
        index = writer.add_sample(data, formats[i % 5], width=i, height=2 * i)
        text = json.dumps({"label": i % 10, "name": "größe %d" % i}, ensure_ascii=False) if i % 4 == 0 else ""
        if text:
            writer.add_metadata(index, text)
        say(i=i, sha256=sha(data), bytes=size, width=i, height=2 * i, format=i % 5 + 1, metadata=text)
    writer.finalize()


def write_raw(path):
    writer = t.TblWriterV2(path, enable_compression=False)
    dice = random.Random(21)
    for i in range(20):
        data = dice.randbytes(12 * 10 * 3)
        writer.add_sample(data, t.SampleFormat.RAW_U8, width=12, height=10)
        say(i=i, sha256=sha(data), bytes=len(data), width=12, height=10, format=8, metadata="")
    writer.finalize()


{"read": read, "raw": raw, "load-raw": load_raw, "write": write, "write-raw": write_raw}[sys.argv[1]](*sys.argv[2:])
