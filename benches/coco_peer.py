"""Reads a COCO file with json.load, and prints what it found and what that took.

usage: coco_peer.py FILE
"""
import json
import resource
import sys
import time

before = resource.getrusage(resource.RUSAGE_SELF)
begun = time.perf_counter()
with open(sys.argv[1], encoding="utf-8") as file:
    labels = json.load(file)
seconds = time.perf_counter() - begun
used = resource.getrusage(resource.RUSAGE_SELF)
print(f"{len(labels['images'])} images, {len(labels['annotations'])} boxes")
cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps({"seconds": seconds, "cpu_seconds": cpu, "peak_bytes": used.ru_maxrss * 1024}))
