"""What benches/ray.mjs measures: shards made by one node, by two, and by two of which one is killed.

    ray_nodes.py FOLDER SAMPLES SHARDS

Nodes are processes of one machine, with one CPU each. It prints one line of JSON.
"""

import collections
import io
import json
import os
import pathlib
import random
import sys
import tarfile
import threading
import time

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.cluster_utils import Cluster

import forebay.ray
from forebay.ray import _tasks

SETTINGS = {"compression": "zstd", "level": 17, "sync": False}
MEMORY = 100 << 20
#: The shards that are whole when a node is killed: a third of them.
KILLED_AFTER = 3

made = _tasks.shard


def shard(plan, folder, number, options):
    """One shard, and a line that says that it was begun."""
    with open(f"{folder}.log", "a") as log:
        log.write(f"{number}\n")
    return made(plan, folder, number, options)


def archive(path, samples):
    """Samples that take their time to be compressed well."""
    if path.exists():
        return
    dice = random.Random(1)
    words = [dice.randbytes(12) for _ in range(400)]
    with tarfile.open(path, "w") as out:
        for i in range(samples):
            content = b"".join(dice.choices(words, k=12_000))
            member = tarfile.TarInfo(f"{i:05}.bin")
            member.size = len(content)
            out.addfile(member, io.BytesIO(content))


def whole(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("[!.]*"))} if folder.exists() else {}


def run(path, out, shards, nodes, kill=False):
    """Seconds, how often each shard was begun, and what was there when a node was killed."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": MEMORY})
    others = [cluster.add_node(num_cpus=1, object_store_memory=MEMORY) for _ in range(nodes - 1)]
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    there = []

    def killed():
        while len(whole(out)) < shards // KILLED_AFTER:
            time.sleep(0.05)
        cluster.remove_node(others[0], allow_graceful=False)
        there.append(len(whole(out)))

    try:
        # Each node's first task starts a process, which is not what is compared.
        forebay.ray.convert(path, out.with_name(f"{out.name}-warm"), 2 * nodes, **{**SETTINGS, "level": 1})
        thread = threading.Thread(target=killed)
        if kill:
            thread.start()
        begun = time.monotonic()
        report = forebay.ray.convert(path, out, shards, **SETTINGS)
        seconds = time.monotonic() - begun
        if kill:
            thread.join()
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert report.made + report.reused == shards
    begun = collections.Counter(pathlib.Path(f"{out}.log").read_text().split())
    return seconds, begun, there


def main():
    _, folder, samples, shards = sys.argv
    folder, shards = pathlib.Path(folder), int(shards)
    path = folder / "samples.tar"
    archive(path, int(samples))
    # Workers import this module by its name.
    import ray_nodes

    _tasks.shard = ray_nodes.shard
    one, begun, _ = run(path, folder / "one", shards, 1)
    two, again, _ = run(path, folder / "two", shards, 2)
    assert set(begun.values()) == set(again.values()) == {1}
    lost, begun, there = run(path, folder / "lost", shards, 2, kill=True)
    twice = sorted(int(number) for number, times in begun.items() if times > 1)
    same = whole(folder / "one") == whole(folder / "two") == whole(folder / "lost")
    print(
        json.dumps(
            {
                "bytes": path.stat().st_size,
                "shards": shards,
                "one": one,
                "two": two,
                "lost": lost,
                "killed_after": there[0],
                "twice": twice,
                "most": max(begun.values()),
                "same": same,
            }
        )
    )


if __name__ == "__main__":
    main()
