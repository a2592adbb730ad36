"""The other loaders, each as its users use it: images to [64, 3, 224, 224] float32, normalized as for ImageNet.

usage: loader_peers.py KIND PATH [key=value ...]

KIND: turboloader    PATH is a tar                      aug=1 antialias=1
      turboloader-raw  PATH is a .tbl of raw pixels     epochs=5
      webdataset     PATH is a folder of tar shards     workers=2
      torch          PATH is a folder of images       workers=2 aug=1
and dump=FILE: the first batch in stored order goes there as it is, and nothing is measured.

Prints one line of JSON. Times leave out starting Python and importing packages; they begin before the loader is made
and end with the last batch, and every batch is touched.
"""
import glob
import json
import os
import resource
import sys
import time

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
SIDE, BATCH = 224, 64

kind, path = sys.argv[1:3]
options = dict(part.split("=", 1) for part in sys.argv[3:])
workers = int(options.get("workers", 2))
augmented = options.get("aug") == "1"


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


def turboloader_raw():
    import turboloader as t

    def make():
        shuffle = "dump" not in options
        loader = t.DataLoader(path, batch_size=BATCH, num_workers=workers, transform=t.ImageNetNormalize(), shuffle=shuffle)
        for _ in range(int(options.get("epochs", 1))):
            for batch, _ in loader:
                yield batch

    return make


def pillow():
    """What most training scripts do: Pillow decodes, torchvision does the rest."""
    from torchvision import transforms as tv

    if augmented:
        first = [tv.RandomResizedCrop(SIDE), tv.RandomHorizontalFlip()]
    else:
        first = [tv.Resize((SIDE, SIDE))]
    return tv.Compose([*first, tv.ToTensor(), tv.Normalize(MEAN, STD)])


def torch_folder():
    import torch
    from PIL import Image

    torch.set_num_threads(1)
    transform = pillow()

    class Folder(torch.utils.data.Dataset):
        def __init__(self):
            self.files = sorted(glob.glob(f"{path}/**/*.jpg", recursive=True))

        def __len__(self):
            return len(self.files)

        def __getitem__(self, i):
            with open(self.files[i], "rb") as file:
                return transform(Image.open(file).convert("RGB"))

    def make():
        return torch.utils.data.DataLoader(Folder(), batch_size=BATCH, num_workers=workers, shuffle=augmented)

    return make


def webdataset():
    import torch
    import webdataset as w

    torch.set_num_threads(1)
    transform = pillow()
    shards = sorted(glob.glob(f"{path}/*.tar"))

    def make():
        data = w.WebDataset(shards, shardshuffle=False, nodesplitter=None, empty_check=False)
        data = data.decode("pilrgb").to_tuple("jpg", "cls").map_tuple(transform, lambda label: label).batched(BATCH)
        loader = w.WebLoader(data, batch_size=None, num_workers=0 if "dump" in options else workers)
        return (batch for batch, _ in loader)

    return make


kinds = {"turboloader": turboloader, "turboloader-raw": turboloader_raw, "torch": torch_folder, "webdataset": webdataset}
make = kinds[kind]()

if "dump" in options:
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
    float(batch[0, 0, 0, 0])
    first = first or time.perf_counter() - begun
seconds = time.perf_counter() - begun
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = own.ru_utime + own.ru_stime - used.ru_utime - used.ru_stime + children.ru_utime + children.ru_stime
print(json.dumps({"images": images, "seconds": seconds, "first_seconds": first, "cpu_seconds": cpu}), flush=True)
os._exit(0)
