"""Loaders with formats of their own, each as its users use it, for peers.py: MosaicML streaming, LitData, DALI, FFCV.

Streaming and LitData hold the very bytes of the JPEG files; FFCV encodes the pixels anew, as it always does, at a quality of 90;
DALI reads the files.
"""

import glob
import os
from types import SimpleNamespace

FORMATS = ("streaming", "litdata", "ffcv")


def files_of(folder):
    return sorted(glob.glob(f"{folder}/**/*.jpg", recursive=True))


def opened(path):
    """What LitData's workers call, so it lies in a module."""
    from PIL import Image

    return {"image": Image.open(path), "label": 0}


def store(kind, folder, to):
    """The files of a folder in the format of one of these."""
    from PIL import Image

    files = files_of(folder)
    if kind == "streaming":
        from streaming import MDSWriter

        with MDSWriter(out=to, columns={"image": "jpeg", "label": "int"}) as out:
            for path in files:
                out.write({"image": Image.open(path), "label": 0})
    elif kind == "litdata":
        import litdata

        litdata.optimize(opened, files, to, chunk_bytes="64MB", num_workers=1, start_method="fork")
    else:
        from ffcv.fields import IntField, RGBImageField
        from ffcv.writer import DatasetWriter

        class Files:
            def __len__(self):
                return len(files)

            def __getitem__(self, i):
                return Image.open(files[i]).convert("RGB"), 0

        os.makedirs(to, exist_ok=True)
        fields = {"image": RGBImageField(write_mode="jpg"), "label": IntField()}
        DatasetWriter(f"{to}/all.beton", fields, num_workers=1).from_indexed_dataset(Files())
    return len(files)


def loader(kind, path, how: SimpleNamespace):
    """A function that begins an epoch and gives its batches of images."""
    return {"streaming": streaming, "litdata": litdata, "dali": dali, "ffcv": ffcv}[kind](path, how)


def streaming(path, how):
    import torch
    from streaming import StreamingDataset

    torch.set_num_threads(1)
    transform = how.v2(decoded=False)

    class Pictures(StreamingDataset):
        def __getitem__(self, i):
            found = super().__getitem__(i)
            return transform(found["image"]), found["label"]

    def make():
        shuffle = how.augmented and not how.ordered
        data = Pictures(local=path, remote=None, shuffle=shuffle, batch_size=how.batch)
        workers = 0 if how.ordered else how.workers
        return (images for images, _ in torch.utils.data.DataLoader(data, batch_size=how.batch, num_workers=workers))

    return make


def litdata(path, how):
    import litdata as lit
    import torch

    torch.set_num_threads(1)
    # It decodes JPEG itself, to a tensor, by torchvision.
    transform = how.v2(decoded=True)

    class Pictures(lit.StreamingDataset):
        def __getitem__(self, i):
            found = super().__getitem__(i)
            return transform(found["image"]), found["label"]

    def make():
        data = Pictures(path, shuffle=how.augmented and not how.ordered)
        workers = 0 if how.ordered else how.workers
        return (images for images, _ in lit.StreamingDataLoader(data, batch_size=how.batch, num_workers=workers))

    return make


def dali(path, how):
    from nvidia.dali import fn, pipeline_def, types
    from nvidia.dali.plugin.base_iterator import LastBatchPolicy
    from nvidia.dali.plugin.pytorch import DALIGenericIterator

    mean, std = ([255 * number for number in three] for three in how.normal)

    @pipeline_def(batch_size=how.batch, num_threads=how.workers, device_id=None)
    def pictures():
        files, labels = fn.readers.file(files=files_of(path), random_shuffle=how.augmented and not how.ordered, name="files")
        mirror = None
        if how.augmented:
            images = fn.decoders.image_random_crop(files, output_type=types.RGB)
            mirror = fn.random.coin_flip(probability=0.5)
        else:
            images = fn.decoders.image(files, output_type=types.RGB)
        images = fn.resize(images, size=[how.side, how.side])
        return fn.crop_mirror_normalize(images, output_layout="CHW", mean=mean, std=std, mirror=mirror), labels

    def make():
        pipeline = pictures()
        pipeline.build()
        batches = DALIGenericIterator([pipeline], ["images", "labels"], reader_name="files", last_batch_policy=LastBatchPolicy.PARTIAL)
        return (batch[0]["images"] for batch in batches)

    return make


def ffcv(path, how):
    import numpy as np
    import torch  # noqa: F401
    from ffcv.fields.decoders import CenterCropRGBImageDecoder, IntDecoder, RandomResizedCropRGBImageDecoder
    from ffcv.loader import Loader, OrderOption
    from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, ToTensor, ToTorchImage

    mean, std = (np.array(three) * 255 for three in how.normal)
    sides = (how.side, how.side)
    # It has no resizing of the whole picture, only of a part.
    first = [CenterCropRGBImageDecoder(sides, ratio=1)]
    if how.augmented:
        first = [RandomResizedCropRGBImageDecoder(sides), RandomHorizontalFlip()]
    images = [*first, NormalizeImage(mean, std, np.float32), ToTensor(), ToTorchImage()]

    order = OrderOption.RANDOM if how.augmented and not how.ordered else OrderOption.SEQUENTIAL
    pipelines = {"image": images, "label": [IntDecoder(), ToTensor()]}
    batches = Loader(f"{path}/all.beton", batch_size=how.batch, num_workers=how.workers, order=order, pipelines=pipelines)
    # Its operations are compiled in the first epoch: that is once a run, so it is not measured.
    for _ in batches:
        pass
    return lambda: (found for found, _ in batches)
