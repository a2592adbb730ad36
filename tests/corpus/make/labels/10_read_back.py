#!/usr/bin/env python3
"""What other tools find in the label files that Forebay writes: truth -> `forebay labels convert` -> their readers.

usage: 10_read_back.py write FOREBAY STAGE            converts exports/handwritten_coco to every format, with its pictures
       PYTHON 07_read.py TOOL STAGE OUT_TOOL.json     once for each tool, in an environment of its own
       10_read_back.py compare STAGE OUT_TOOL.json..  a line for each tool and format: boxes found, the largest distance

A box is found if one of the same class lies within 1.01 pixels of it or of what its picture leaves of it: some tools round
to whole pixels. What the converter says is lost (nothing of it in the picture, outlines of several parts) is missing."""
import json
import os
import shutil
import subprocess
import sys
from urllib.parse import unquote

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "..", "..", "labels")
SOURCE = os.path.join(CORPUS, "exports/handwritten_coco/annotations/instances.json")
PICTURES = os.path.join(CORPUS, "truth/images")
# Name: what the readers call it, the file or folder to write, what they open, where pictures lie.
FORMATS = {
    "coco": ("coco", "instances.json", "instances.json", "images"),
    "yolo": ("yolo", ".", None, "images"),
    "voc": ("voc", ".", "Annotations", "JPEGImages"),
    "cvat": ("cvat", "annotations.xml", "annotations.xml", "images"),
    "labelstudio": ("label_studio", "tasks.json", "tasks.json", "images"),
}


def write(forebay, stage):
    truth = json.load(open(SOURCE, encoding="utf-8"))
    names = [image["file_name"] for image in truth["images"]]
    classes = [category["name"] for category in truth["categories"]]
    os.makedirs(stage)
    for word, (reader, out, entry, pictures) in FORMATS.items():
        root = os.path.join(stage, word)
        if out != ".":
            os.makedirs(root)
        target = os.path.normpath(os.path.join(root, out))
        subprocess.run([forebay, "labels", "convert", SOURCE, target, "--to", word], check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(PICTURES, os.path.join(root, pictures), dirs_exist_ok=True)
        if word == "voc":  # datumaro wants to be told the classes and the pictures
            with open(os.path.join(root, "labelmap.txt"), "w", encoding="utf-8") as file:
                file.write("# label:color_rgb:parts:actions\n" + "".join(f"{name}:::\n" for name in classes))
            os.makedirs(os.path.join(root, "ImageSets/Main"))
            with open(os.path.join(root, "ImageSets/Main/default.txt"), "w", encoding="utf-8") as file:
                file.write("".join(os.path.splitext(name)[0] + "\n" for name in names))
        case = {"format": reader, "entry": entry, "images": [{"ref": name} for name in names]}
        case["materialise"] = {f"{pictures}/{name}": name for name in names}
        json.dump(case, open(os.path.join(root, "_case.json"), "w", encoding="utf-8"))


def boxes_of_truth():
    truth = json.load(open(SOURCE, encoding="utf-8"))
    classes = {category["id"]: category["name"] for category in truth["categories"]}
    images = {image["id"]: image for image in truth["images"]}
    for annotation in truth["annotations"]:
        image = images[annotation["image_id"]]
        x, y, w, h = annotation["bbox"]
        whole = [x, y, x + w, y + h]
        cut = [min(max(v, 0), image[side]) for v, side in zip(whole, ("width", "height") * 2)]
        yield stem(image["file_name"]), classes[annotation["category_id"]], whole, cut


def stem(name):
    return os.path.splitext(os.path.basename(unquote(name.split("#")[0].split("d=")[-1])))[0]


def compare(stage, outs):
    truth = list(boxes_of_truth())
    for out in outs:
        for case, answer in sorted(json.load(open(out, encoding="utf-8")).items()):
            title = f"{os.path.basename(out)} {case}"
            if "ok" not in answer:
                print(f"{title}: {json.dumps(answer)[:160]}")
                continue
            left = {}
            for name, boxes in answer["ok"].items():
                left.setdefault(stem(name), []).extend(boxes)
            found, worst = 0, 0.0
            for name, label, whole, cut in truth:
                there = left.get(name, [])
                far = [min(max(abs(a - b) for a, b in zip(box[1:], want)) for want in (whole, cut)) for box in there if box[0] == label]
                if far and min(far) < 1.01:
                    which = [box for box in there if box[0] == label][far.index(min(far))]
                    there.remove(which)
                    found, worst = found + 1, max(worst, min(far))
            print(f"{title}: {found} of {len(truth)} boxes, at most {worst:.5f} px away")


if __name__ == "__main__":
    write(*sys.argv[2:]) if sys.argv[1] == "write" else compare(sys.argv[2], sys.argv[3:])
