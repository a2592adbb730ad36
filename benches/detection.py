#!/usr/bin/env python3
"""Batches for detectors: 64 images of 640 x 640 with boxes, letterboxed and mirrored, with and without mosaics; Forebay
against torch's DataLoader with albumentations, on the same files.

    python3 -m pip install torch albumentations forebay
    python3 benches/detection.py FOLDER [--make N] [--workers 2] [--rounds 3] [--compare] [--write]

--make draws N images of 640 x 480 and 480 x 640 as JPEG, with the boxes of a COCO file, into FOLDER first. Each round runs all
of them in turns, each with a process of its own, and the best rate counts. --compare holds boxes against each other instead. --write
does both, and keeps what was found in benches/results/detection.json, of which `npm run bench:loader` makes a part of its page.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

SIDE, BATCH, PLACES = 640, 64, 64


def make(folder, count):
    import numpy as np
    from PIL import Image

    (folder / "images").mkdir(parents=True, exist_ok=True)
    images, annotations = [], []
    rng = np.random.default_rng(7)
    for i in range(count):
        width, height = [(640, 480), (480, 640)][i % 4 == 3]
        coarse = rng.integers(0, 256, (height // 16 + 1, width // 16 + 1, 3), dtype=np.uint8)
        picture = np.asarray(Image.fromarray(coarse).resize((width, height), Image.BICUBIC)).astype(np.int16)
        picture += rng.normal(0, 6, picture.shape).astype(np.int16)
        for _ in range(int(rng.integers(1, 15))):
            w, h = int(rng.integers(16, width // 2)), int(rng.integers(16, height // 2))
            x, y = int(rng.integers(0, width - w)), int(rng.integers(0, height - h))
            picture[y : y + h, x : x + w] += rng.integers(-60, 60, 3).astype(np.int16)
            box = dict(id=len(annotations), image_id=i, category_id=int(rng.integers(1, 81)), bbox=[x, y, w, h], iscrowd=0, area=w * h)
            annotations.append(box)
        name = f"{i:06}.jpg"
        Image.fromarray(picture.clip(0, 255).astype(np.uint8)).save(folder / "images" / name, quality=90)
        images.append(dict(id=i, file_name=name, width=width, height=height))
    categories = [dict(id=i, name=f"class{i}") for i in range(1, 81)]
    (folder / "labels.json").write_text(json.dumps(dict(images=images, annotations=annotations, categories=categories)))


def ours(folder, mosaic, workers, flip=True):
    import forebay

    augment = forebay.Letterbox()
    if flip:
        augment = augment | forebay.HorizontalFlip()
    if mosaic:
        augment = augment | forebay.Mosaic(scale=(0.5, 1.0))
    target = f"boxes/{PLACES}:{folder / 'labels.json'}"
    return forebay.Loader(
        folder / "images",
        batch=BATCH,
        size=SIDE,
        fill=(114, 114, 114),
        augment=augment,
        normalize="imagenet",
        targets={"boxes": target},
        shuffle=1 if flip else None,
        workers=workers,
    )


def theirs(folder, mosaic, workers, flip=True):
    import random

    import albumentations as A
    import cv2
    import numpy as np
    import torch
    from albumentations.pytorch import ToTensorV2

    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    labels = json.loads((folder / "labels.json").read_text())
    boxes = {image["id"]: [] for image in labels["images"]}
    for one in labels["annotations"]:
        x, y, w, h = one["bbox"]
        boxes[one["image_id"]].append([x, y, x + w, y + h, one["category_id"] - 1])
    steps = []
    if mosaic:
        steps.append(A.Mosaic(target_size=(SIDE, SIDE), cell_shape=(SIDE, SIDE), fill=114, fit_mode="contain", p=1.0))
    else:
        steps += [A.LongestMaxSize(SIDE), A.PadIfNeeded(SIDE, SIDE, border_mode=cv2.BORDER_CONSTANT, fill=114)]
    if flip:
        steps.append(A.HorizontalFlip(p=0.5))
    steps += [A.Normalize(), ToTensorV2()]
    change = A.Compose(steps, bbox_params=A.BboxParams(format="pascal_voc", label_fields=["classes"]))

    class Pictures(torch.utils.data.Dataset):
        def __len__(self):
            return len(labels["images"])

        def read(self, i):
            picture = cv2.cvtColor(cv2.imread(str(folder / "images" / labels["images"][i]["file_name"])), cv2.COLOR_BGR2RGB)
            found = np.array(boxes[i], dtype=np.float32).reshape(-1, 5)
            return {"image": picture, "bboxes": found[:, :4], "classes": found[:, 4]}

        def __getitem__(self, i):
            own = self.read(i)
            if mosaic:
                own["mosaic_metadata"] = [self.read(random.randrange(len(self))) for _ in range(3)]
            made = change(**own)
            there = np.zeros((PLACES, 4), np.float32)
            classes = np.full(PLACES, -1, np.int64)
            n = min(len(made["bboxes"]), PLACES)
            if n:
                there[:n] = np.asarray(made["bboxes"])[:n, :4] / SIDE
                classes[:n] = np.asarray(made["classes"])[:n]
            return made["image"], there, classes

    return torch.utils.data.DataLoader(
        Pictures(), batch_size=BATCH, shuffle=flip, num_workers=workers, drop_last=True, persistent_workers=True
    )


def run(folder, who, mosaic, workers):
    loader = (ours if who == "forebay" else theirs)(folder, mosaic, workers)
    count = 0
    for epoch in range(2):
        # The first epoch starts processes and fills memory.
        begun = time.perf_counter()
        count = 0
        for batch in loader:
            count += len(batch.images if who == "forebay" else batch[0])
    seconds = time.perf_counter() - begun
    print(json.dumps(dict(who=who, mosaic=mosaic, images_per_second=count / seconds)))


def compare(folder, workers):
    """Boxes of images that are only letterboxed, in both: the largest difference, as a share of the side."""
    import numpy as np

    worst, count, pixels = 0.0, 0, 0.0
    for batch, (images, boxes, classes) in zip(ours(folder, False, workers, flip=False), theirs(folder, False, workers, flip=False)):
        mine, mine_classes = batch.targets["boxes"], batch.targets["boxes_classes"]
        assert (mine_classes == classes.numpy()).all()
        worst = max(worst, float(np.abs(mine - boxes.numpy()).max()))
        pixels = max(pixels, float(np.abs(batch.images - images.numpy()).mean()))
        count += int((mine_classes >= 0).sum())
    found = dict(boxes=count, worst=worst, mean_of_pixels=pixels)
    print(json.dumps(found))
    return found


def write(args, best):
    """Keeps what was found."""
    import albumentations
    import cv2
    import torch

    versions = dict(python=platform.python_version(), torch=torch.__version__, albumentations=albumentations.__version__, opencv=cv2.__version__)
    found = dict(
        date=datetime.date.today().isoformat(),
        cores=os.cpu_count(),
        versions=versions,
        pictures=len(list((args.folder / "images").iterdir())),
        workers=args.workers,
        rounds=args.rounds,
        images_per_second={kind: {who: best[who, kind] for who in ("forebay", "albumentations")} for kind in ("plain", "mosaic")},
        apart=compare(args.folder, args.workers),
    )
    path = pathlib.Path(__file__).parent / "results" / "detection.json"
    path.write_text(json.dumps(found, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--make", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--run", nargs=2)
    args = parser.parse_args()
    if args.run:
        return run(args.folder, args.run[0], args.run[1] == "mosaic", args.workers)
    if args.make:
        make(args.folder, args.make)
    if args.compare:
        compare(args.folder, args.workers)
        return
    best = {}
    for _ in range(args.rounds):
        for what in [("forebay", "plain"), ("albumentations", "plain"), ("forebay", "mosaic"), ("albumentations", "mosaic")]:
            command = [sys.executable, __file__, str(args.folder), "--workers", str(args.workers), "--run", *what]
            rate = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
            best[what] = max(best.get(what, 0), rate["images_per_second"])
    for kind in ("plain", "mosaic"):
        mine, other = best["forebay", kind], best["albumentations", kind]
        print(f"{kind}: {mine:.0f} images/s, albumentations {other:.0f}: {mine / other:.2f} x")
    if args.write:
        write(args, best)


if __name__ == "__main__":
    main()
