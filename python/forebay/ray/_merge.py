"""Counts of several files as counts of one."""

from __future__ import annotations

from typing import Any, Iterable


def merged(counts: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Summarizes all files together. ``min_at`` and ``max_at`` are numbers in the file that ``min_in`` and ``max_in``
    name."""
    many = list(counts)
    every = [one for _, one in many]
    total: dict[str, Any] = {
        name: sum(one[name] for one in every) for name in ("samples", "bytes", "stored_bytes", "unknown_size")
    }
    total["files"] = len(many)
    total["ratio"] = total["stored_bytes"] / total["bytes"] if total["bytes"] else None
    total["formats"] = _frequent(every, lambda one: one["formats"], "format")
    for name in ("sample_bytes", "width", "height"):
        known = "samples" if name == "sample_bytes" else "unknown_size"
        total[name] = _spread([(path, one[name], _weight(one, known)) for path, one in many if one[name]])
    for name in ("bytes_histogram", "width_histogram", "height_histogram", "aspect_histogram"):
        total[name] = _histogram([one[name] for one in every])
    classes = _frequent(every, lambda one: one["classes"]["top"], "label")
    total["classes"] = {
        "distinct": len(classes),
        "top": classes,
        "other": sum(one["classes"]["other"] for one in every),
        "unlabelled": sum(one["classes"]["unlabelled"] for one in every),
    }
    return total


def _weight(one: dict[str, Any], known: str) -> int:
    """Samples over which a mean is taken."""
    return int(one["samples"]) if known == "samples" else int(one["samples"] - one["unknown_size"])


def _frequent(every: list[dict[str, Any]], of: Any, key: str) -> list[dict[str, Any]]:
    sums: dict[str, int] = {}
    for one in every:
        for entry in of(one):
            sums[entry[key]] = sums.get(entry[key], 0) + entry["samples"]
    return [{key: name, "samples": n} for name, n in sorted(sums.items(), key=lambda item: (-item[1], item[0]))]


def _spread(found: list[tuple[str, dict[str, Any], int]]) -> dict[str, Any] | None:
    if not found:
        return None
    least = min(found, key=lambda one: one[1]["min"])
    most = max(found, key=lambda one: one[1]["max"])
    samples = sum(weight for _, _, weight in found)
    return {
        "min": least[1]["min"],
        "min_at": least[1]["min_at"],
        "min_in": least[0],
        "max": most[1]["max"],
        "max_at": most[1]["max_at"],
        "max_in": most[0],
        "mean": sum(one["mean"] * weight for _, one, weight in found) / max(samples, 1),
    }


def _histogram(several: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    sums: dict[float, dict[str, Any]] = {}
    for buckets in several:
        for bucket in buckets:
            one = sums.setdefault(bucket["from"], {**bucket, "samples": 0})
            one["samples"] += bucket["samples"]
    return [sums[start] for start in sorted(sums)]
