"""Journals of changes to datasets that stay as they are, written and applied."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Literal, Mapping, Sequence

from . import _forebay
from ._convert import PathLike

__all__ = ["Edits", "apply"]


class Edits:
    """A journal of changes to a dataset, which stays as it is; :func:`apply` makes a new one of both.

    Every change is in the file before the call returns. A with-block makes them durable at its end. One at a time has a
    journal open.

    >>> with forebay.Edits("train.tbl", "edits.jsonl") as edits:
    ...     edits.set(3, {"label": "boat"}, boxes=[{"class": "boat", "xmin": 1, "ymin": 2, "xmax": 30, "ymax": 40}])
    ...     edits.remove(5)
    ...     number = edits.add("new.jpg", forebay.open("train.tbl")[0].payload, {"label": "dock"})
    >>> forebay.apply("train.tbl", "edits.jsonl", "new.tbl")["removed"]
    1
    """

    def __init__(self, dataset: PathLike, journal: PathLike) -> None:
        self._core = _forebay.Edits(os.fspath(dataset), os.fspath(journal))

    def _change(self, kind: str, **members: Any) -> None:
        self._core.change(_text({"do": kind, **members}))

    def set(
        self,
        sample: int,
        fields: Mapping[str, Any] | None = None,
        *,
        boxes: Sequence[Mapping[str, Any]] | None = None,
        unset: Sequence[str] = (),
    ) -> None:
        """Sets fields of a sample's metadata, by the paths that filters use (``json.label``); ``unset`` takes some away.
        ``boxes`` are all annotations that it has then, as ``docs/labels.md`` describes them."""
        self._change("set", sample=sample, **_given(fields, boxes, unset))

    def add(
        self,
        name: str,
        payload: bytes,
        fields: Mapping[str, Any] | None = None,
        *,
        boxes: Sequence[Mapping[str, Any]] | None = None,
    ) -> int:
        """Adds a sample at the end; its number."""
        return self._core.add(name, bytes(payload), _text(_given(fields, boxes, ())))

    def remove(self, sample: int) -> None:
        """Leaves a sample out."""
        self._change("remove", sample=sample)

    def restore(self, sample: int) -> None:
        """Takes a removal back."""
        self._change("restore", sample=sample)

    def rename(self, sample: int, name: str) -> None:
        """Gives a sample's file another name."""
        self._change("rename", sample=sample, name=name)

    def move(self, sample: int, before: int | None = None) -> None:
        """Moves a sample before another one, or to the end."""
        self._change("move", sample=sample, before=before)

    def tag(self, sample: int, *tags: str, remove: Sequence[str] = ()) -> None:
        """Gives a sample tags, and takes some."""
        self._change("tag", sample=sample, add=list(tags), remove=list(remove))

    def review(self, sample: int, state: Literal["accepted", "rejected"] | None) -> None:
        """Says what a reviewer said; ``None`` is nothing again."""
        self._change("review", sample=sample, state=state)

    def document(self, fields: Mapping[str, Any] | None = None, *, unset: Sequence[str] = ()) -> None:
        """Sets fields of the document next to the samples, such as ``classes``."""
        self._change("document", **_given(fields, None, unset))

    def undo(self) -> None:
        """Takes back the last change that was not undone."""
        self._change("undo")

    def redo(self) -> None:
        """Makes the last change again that was undone."""
        self._change("redo")

    @property
    def dirty(self) -> bool:
        """Whether a change can be undone."""
        return bool(json.loads(self._core.about())["dirty"])

    def __len__(self) -> int:
        """Lines so far, of changes and of what was undone."""
        return int(json.loads(self._core.about())["changes"])

    def save(self) -> None:
        """Makes the changes so far durable: they outlast a machine that dies."""
        self._core.save()

    def close(self) -> None:
        """Lets the journal go, so that others may change it."""
        self._core.close()

    def __enter__(self) -> Edits:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # What was changed before an exception was changed: a journal keeps it, and undo takes it back.
        try:
            if kind is None:
                self.save()
        finally:
            self.close()


def apply(
    dataset: PathLike,
    journal: PathLike,
    output: PathLike | None = None,
    *,
    in_place: bool = False,
    dry_run: bool = False,
    force: bool = False,
    sync: bool = True,
    project: PathLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Writes ``output``: the dataset with the changes of the journal. Until it is whole, nothing is there. With
    ``in_place`` only metadata of a TBL is changed, in its own file; with ``dry_run`` nothing is. ``project`` is the
    file whose classes the new file lists, in its order. Returns ``samples``, ``changed``, ``removed``, ``added``,
    ``output_bytes``, ``written_bytes``, ``notes``."""
    options: dict[str, Any] = {"in_place": in_place, "dry_run": dry_run, "force": force, "sync": sync}
    options["project"] = None if project is None else os.fspath(project)
    to = None if output is None else os.fspath(output)
    said = _forebay.edits_apply(os.fspath(dataset), os.fspath(journal), to, json.dumps(options), progress)
    return dict(json.loads(said))


def _given(
    fields: Mapping[str, Any] | None, boxes: Sequence[Mapping[str, Any]] | None, unset: Sequence[str]
) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if fields:
        given["fields"] = dict(fields)
    if unset:
        given["unset"] = list(unset)
    if boxes is not None:
        given["annotations"] = [dict(box) for box in boxes]
    return given


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
