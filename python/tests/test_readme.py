"""The code of README.md, block by block, as a reader would type it."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
from typing import Any

import pytest

from conftest import CORPUS, ROOT, bmp, write_tar


def test_the_readme_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    members = {}
    for i in range(40):
        members[f"{i:03}.bmp"] = bmp(20 + i, 30, (i, 2 * i, 3 * i))
        members[f"{i:03}.cls"] = str(i).encode()
    write_tar(tmp_path / "train.tar", members)
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.bmp").write_bytes(bmp(64, 48, (1, 2, 3)))
    labels = {
        "images": [{"id": 1, "file_name": "a.bmp", "width": 64, "height": 48}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 30, 40]}],
        "categories": [{"id": 1, "name": "dog"}],
    }
    (tmp_path / "instances.json").write_text(json.dumps(labels))
    (tmp_path / "people.csv").write_text("name,age\nann,31\nbob,27\n")
    shutil.copytree(CORPUS / "twh" / "expected" / "case_letterbox_64", tmp_path / "warehouse")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "python" / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 11
    names: dict[str, Any] = {}
    for i, block in enumerate(blocks):
        exec(compile(block, f"README.md, block {i + 1}", "exec"), names)
