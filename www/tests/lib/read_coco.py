"""What pycocotools finds in a COCO file, as JSON: `read_coco.py FILE [--all]`."""

import contextlib
import json
import sys

from pycocotools.coco import COCO

with contextlib.redirect_stdout(sys.stderr):
    coco = COCO(sys.argv[1])
said = {"pictures": len(coco.getImgIds()), "boxes": len(coco.getAnnIds()), "classes": len(coco.getCatIds())}


def understood(one):
    """A box with its class, its area, and how many pixels its shape covers."""
    category = coco.loadCats(one["category_id"])[0]["name"]
    pixels = int(coco.annToMask(one).sum()) if "segmentation" in one else None
    return [category, one["bbox"], one["area"], one["iscrowd"], pixels, one.get("num_keypoints")]


if "--all" in sys.argv:
    said["found"] = [
        [
            picture["file_name"],
            picture["width"],
            picture["height"],
            [understood(one) for one in coco.loadAnns(coco.getAnnIds(imgIds=[picture["id"]]))],
        ]
        for picture in coco.loadImgs(coco.getImgIds())
    ]
print(json.dumps(said))
