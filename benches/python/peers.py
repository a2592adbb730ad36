"""Loaders of Python, each as its users use it: images to [64, 3, 224, 224] float32, normalized as for ImageNet.

usage: peers.py KIND PATH [key=value ...]

KIND: forebay        PATH is a TBL                          aug=1
      turboloader    PATH is a tar                          aug=1 antialias=1
      torch-pillow   PATH is a folder of classes            aug=1
      torch-turbo    the same, by torchvision's decoder     aug=1
      webdataset     PATH is a folder of tar shards
      streaming      PATH is a folder of MDS                aug=1
      litdata        PATH is a folder of chunks             aug=1
      ffcv           PATH is a folder with all.beton        aug=1
      dali           PATH is a folder of files              aug=1
      map-style      PATH is a TBL: forebay.torch.Dataset under torch's DataLoader
      image-folder   PATH is a folder of classes: torchvision's ImageFolder under torch's DataLoader
      bare-forebay   PATH is a TBL: threads that decode and do nothing else
      bare-turbo     PATH is a folder of files: processes that do so by torchvision's decoder
      bare-pillow    the same by Pillow
and of bytes that are stored as tensors, shuffled, into torch:
      warehouse      PATH is a warehouse, mapped
      safetensors    PATH is a folder with images.safetensors
      memmap         PATH is a folder with images.npy
      store          makes such a folder of a warehouse: store PATH to=FOLDER; with as=streaming, litdata or ffcv, of the
                     files in PATH what these read
and workers=2 epochs=1; dump=FILE: the first batch in stored order goes there as it is, and nothing is measured.

Prints one line of JSON. Times leave out starting Python and importing packages; they begin before the loader is made
and end with the last batch, and every batch is touched.
"""

import json
import os
import resource
import sys
import time
from types import SimpleNamespace

import other_formats

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
SIDE, BATCH = 224, 64

kind, path = sys.argv[1:3]
options = dict(part.split("=", 1) for part in sys.argv[3:])
workers = int(options.get("workers", 2))
augmented = options.get("aug") == "1"
ordered = "dump" in options
epochs = int(options.get("epochs", 1))
#: Of ours: seconds of all workers by what they did.
stages = {}


def forebay_loader():
    import forebay

    augment = forebay.RandomResizedCrop() | forebay.HorizontalFlip() if augmented else None

    def make():
        loader = forebay.Loader(
            path,
            batch=BATCH,
            size=SIDE,
            normalize="imagenet",
            labels="cls",
            augment=augment,
            shuffle=42 if augmented and not ordered else None,
            workers=workers,
            tail="uneven",
        )
        for _ in range(epochs):
            for images, _ in loader.torch():
                yield images
        told = loader.stats()
        stages.update((name, getattr(told, name)) for name in ("reading", "verifying", "decoding", "transforming", "idle"))

    import torch  # noqa: F401

    return make


def turboloader():
    import turboloader as t

    def make():
        loader = t.DataLoader(
            path,
            batch_size=BATCH,
            num_workers=workers,
            image_size=SIDE,
            output_format="pytorch",
            transform=t.ImageNetNormalize(),
            shuffle=augmented,
            train_aug=augmented,
            antialias=options.get("antialias") == "1",
        )
        return (batch for batch, _ in loader)

    return make


def v2(decoded):
    """torchvision's second API, from images of Pillow or tensors of bytes."""
    import torch
    from torchvision.transforms import v2 as t

    first = [t.RandomResizedCrop(SIDE, antialias=True), t.RandomHorizontalFlip()]
    if not augmented:
        first = [t.Resize((SIDE, SIDE), antialias=True)]
    tensor = [] if decoded else [t.ToImage()]
    return t.Compose([*first, *tensor, t.ToDtype(torch.float32, scale=True), t.Normalize(MEAN, STD)])


def torch_loader(dataset):
    import torch

    return torch.utils.data.DataLoader(
        dataset, batch_size=BATCH, num_workers=0 if ordered else workers, shuffle=augmented and not ordered
    )


def torch_files():
    import glob

    import torch
    from PIL import Image
    from torchvision.io import ImageReadMode, decode_jpeg, read_file

    torch.set_num_threads(1)
    turbo = kind == "torch-turbo"
    transform = v2(decoded=turbo)

    class Files(torch.utils.data.Dataset):
        def __init__(self):
            self.files = sorted(glob.glob(f"{path}/**/*.jpg", recursive=True))

        def __len__(self):
            return len(self.files)

        def __getitem__(self, i):
            if turbo:
                return transform(decode_jpeg(read_file(self.files[i]), mode=ImageReadMode.RGB))
            with open(self.files[i], "rb") as file:
                return transform(Image.open(file).convert("RGB"))

    return lambda: torch_loader(Files())


def image_folder():
    import torch
    from torchvision.datasets import ImageFolder

    torch.set_num_threads(1)

    def make():
        return (images for images, _ in torch_loader(ImageFolder(path, v2(decoded=False))))

    return make


def map_style():
    import torch

    import forebay
    import forebay.torch

    torch.set_num_threads(1)
    augment = forebay.RandomResizedCrop() | forebay.HorizontalFlip() if augmented else None

    def make():
        dataset = forebay.torch.Dataset(path, size=SIDE, normalize="imagenet", augment=augment, label="cls")
        return (images for images, _ in torch_loader(dataset))

    return make


def webdataset():
    import glob

    import torch
    import webdataset as w

    torch.set_num_threads(1)
    transform = v2(decoded=False)
    shards = sorted(glob.glob(f"{path}/*.tar"))

    def make():
        data = w.WebDataset(shards, shardshuffle=False, nodesplitter=None, empty_check=False)
        data = data.decode("pil").to_tuple("jpg", "cls").map_tuple(transform, lambda label: label).batched(BATCH)
        loader = w.WebLoader(data, batch_size=None, num_workers=0 if ordered else workers)
        return (batch for batch, _ in loader)

    return make


def warehouse():
    import torch  # noqa: F401

    import forebay

    def make():
        shuffle = None if ordered else 42
        loader = forebay.Loader(path, batch=BATCH, shuffle=shuffle, mode="mmap", dtype="u8", tail="uneven")
        for _ in range(epochs):
            for found in loader.torch():
                yield found["images"]

    return make


def gathered(images):
    """Batches of a tensor of all images, in another order every epoch."""
    import torch

    for _ in range(epochs):
        order = torch.arange(len(images)) if ordered else torch.randperm(len(images))
        for numbers in order.split(BATCH):
            yield images, numbers


def safetensors():
    import torch
    from safetensors import safe_open

    torch.set_num_threads(1)

    def make():
        with safe_open(f"{path}/images.safetensors", framework="pt") as file:
            images = file.get_tensor("images")
        return (images[numbers] for images, numbers in gathered(images))

    return make


def memmap():
    import numpy as np
    import torch

    def make():
        images = np.load(f"{path}/images.npy", mmap_mode="r")
        return (torch.from_numpy(images[numbers.numpy()]) for images, numbers in gathered(images))

    return make


def store(folder):
    """The same tensors for the others."""
    import numpy as np
    from safetensors.numpy import save_file

    import forebay

    os.makedirs(folder, exist_ok=True)
    images = np.concatenate([batch.images for batch in forebay.Loader(path, batch=BATCH, dtype="u8", tail="uneven")])
    np.save(f"{folder}/images.npy", images)
    save_file({"images": images}, f"{folder}/images.safetensors")
    print(json.dumps({"images": len(images)}))


def bare_share(number):
    """Decodes its share of the images, from memory; the seconds that takes, without reading, and how many there were."""
    import glob

    if kind == "bare-forebay":
        import forebay

        ds = forebay.open(path)
        samples = [ds[i] for i in range(number, len(ds), workers)]
        decode = [sample.image for sample in samples]
        for sample in samples:
            sample.payload
    else:
        import io

        import torch
        from PIL import Image
        from torchvision.io import ImageReadMode, decode_jpeg

        torch.set_num_threads(1)
        files = sorted(glob.glob(f"{path}/**/*.jpg", recursive=True))[number::workers]
        payloads = [open(file, "rb").read() for file in files]
        if kind == "bare-turbo":
            bytes_of = [torch.frombuffer(bytearray(payload), dtype=torch.uint8) for payload in payloads]
            decode = [lambda one=one: decode_jpeg(one, mode=ImageReadMode.RGB) for one in bytes_of]
        else:
            decode = [lambda one=one: Image.open(io.BytesIO(one)).convert("RGB") for one in payloads]
    decode[0]()
    begun = time.perf_counter()
    for one in decode:
        one()
    return len(decode), time.perf_counter() - begun


def bare():
    """Decoders by themselves: the rates of all processes together."""
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(workers) as pool:
        found = pool.map(bare_share, range(workers), chunksize=1)
    images = sum(count for count, _ in found)
    rate = sum(count / seconds for count, seconds in found)
    print(json.dumps({"images": images, "seconds": images / rate}), flush=True)


if kind.startswith("bare-"):
    bare()
    sys.exit()
if kind == "store":
    if "as" in options:
        print(json.dumps({"images": other_formats.store(options["as"], path, options["to"])}))
    else:
        store(options["to"])
    sys.exit()
kinds = {
    "warehouse": warehouse,
    "safetensors": safetensors,
    "memmap": memmap,
    "forebay": forebay_loader,
    "turboloader": turboloader,
    "torch-pillow": torch_files,
    "torch-turbo": torch_files,
    "webdataset": webdataset,
    "map-style": map_style,
    "image-folder": image_folder,
}
if kind in kinds:
    make = kinds[kind]()
else:
    how = SimpleNamespace(
        side=SIDE, batch=BATCH, workers=workers, augmented=augmented, ordered=ordered, normal=(MEAN, STD), v2=v2
    )
    make = other_formats.loader(kind, path, how)

if ordered:
    import numpy as np

    batch = next(iter(make()))
    np.ascontiguousarray(np.asarray(batch), dtype=np.float32).tofile(options["dump"])
    print(json.dumps({"images": len(batch), "shape": list(batch.shape)}), flush=True)
    # Threads and worker processes of a loader that is left half-way need not be waited for.
    os._exit(0)

used = resource.getrusage(resource.RUSAGE_SELF)
begun = time.perf_counter()
images, first = 0, None
for batch in make():
    images += len(batch)
    float(batch.reshape(-1)[0])
    first = first or time.perf_counter() - begun
seconds = time.perf_counter() - begun
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = own.ru_utime + own.ru_stime - used.ru_utime - used.ru_stime + children.ru_utime + children.ru_stime
done = {"images": images, "seconds": seconds, "first_seconds": first, "cpu_seconds": cpu, "stages": stages}
print(json.dumps(done), flush=True)
os._exit(0)
