"""The Python of README.md and docs, page by page: a block that needs a package runs where that is installed."""

from __future__ import annotations

import importlib
import json
import pathlib
import re
from typing import Any

import numpy as np
import pytest

from conftest import ROOT, write_tar
from forebay._html import _png

PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "```python\n" in page.read_text(encoding="utf-8")
]


def folder(path: pathlib.Path) -> None:
    """What the pages name: an archive, a folder of classes, a table, labels."""
    members: dict[str, bytes] = {}
    for i in range(16):
        picture = np.full((40, 48, 3), (10 * i, 5, 255 - 10 * i), np.uint8)
        members[f"{i:03}.png"] = _png(picture)
        members[f"{i:03}.cls"] = str(i % 4).encode()
        place = path / "folder" / ("cat" if i % 2 else "dog")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{i}.png").write_bytes(members[f"{i:03}.png"])
    write_tar(path / "train.tar", members)
    (path / "new.jpg").write_bytes(members["003.png"])
    rows = "".join(f"name {i},{20 + i},{i / 2}\n" for i in range(40))
    (path / "people.csv").write_text(f"name,age,score\n{rows}")
    labels = {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 64, "height": 48}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}],
        "categories": [{"id": 1, "name": "dog"}],
    }
    (path / "instances.json").write_text(json.dumps(labels))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs(page: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    ran, missing = 0, set()
    for i, block in enumerate(blocks):
        needs = re.match(r"# needs: (.*)\n", block)
        absent = [name for name in (needs.group(1).split(", ") if needs else ()) if not there(name)]
        if absent or (needs and set(needs.group(1).split(", ")) & {"streaming", "litdata"}):
            # Their own datasets are missing here, so these blocks are only compiled.
            missing.update(absent)
            compile(block, f"{page.name}, block {i + 1}", "exec")
            continue
        exec(compile(block, f"{page.name}, block {i + 1}", "exec"), names)
        ran += 1
    assert ran > 0, f"no block runs without {', '.join(sorted(missing))}"
    if missing:
        pytest.skip(f"{ran} of {len(blocks)} blocks ran; not installed here: {', '.join(sorted(missing))}")


def there(name: str) -> bool:
    """Whether a package can be imported."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True
