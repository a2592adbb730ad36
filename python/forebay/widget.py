"""The viewer as a widget of notebooks, by anywidget: in Jupyter, VS Code, Colab and wherever else widgets are shown.

    from forebay.widget import Viewer

    viewer = Viewer("train.tbl", filter="width > 300")
    viewer                      # shows it
    viewer.selected, viewer.picked, viewer.filter  # what people did, and what can be set

Bytes go through the notebook's own connection, so that the browser may be on another machine; :func:`forebay.view` needs none of
this, but the browser must be on the kernel's machine. While a cell runs, the kernel answers nobody: the viewer waits for it.
"""

from __future__ import annotations

import io
import re
from typing import Any

try:
    import anywidget  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import traitlets  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ImportError as e:
    raise ImportError("forebay.widget needs anywidget: pip install forebay[widget]") from e

from ._errors import UnsupportedError
from ._files import Ranges
from ._page import Page, page
from ._view import held_of

__all__ = ["Viewer"]

#: Bytes that are given at once: no sample is larger where a page can show it.
_MOST = 1 << 29
#: The parts of the page that a widget may ask for, as they are called there without what tells builds apart.
_ASSET = re.compile(r"(worker)\.js|([a-z]+)\.wasm")


class Viewer(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Shows a dataset: a file, or a :class:`forebay.Dataset` or :class:`forebay.Table` over one.

    ``filter``, ``selected``, ``picked``, ``view`` and ``theme`` follow what people do, and can be set. ``hide`` names parts that are
    left out, with spaces between them. A filter of the dataset itself is not known to the viewer: the file is shown as a whole.
    """

    filter = traitlets.Unicode("").tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    picked = traitlets.List(traitlets.Int()).tag(sync=True)
    view = traitlets.Enum(["gallery", "table", "map"], "gallery").tag(sync=True)
    theme = traitlets.Enum(["light", "dark", None], None, allow_none=True).tag(sync=True)
    editable = traitlets.Bool(False).tag(sync=True)
    hide = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(640).tag(sync=True)
    _name = traitlets.Unicode("").tag(sync=True)
    _bytes = traitlets.Int(0).tag(sync=True)

    def __init__(self, source: Any, **choices: Any) -> None:
        self._site = page()
        name, held = held_of(source)
        if not isinstance(held, Ranges):
            held = Ranges(io.BytesIO(held) if isinstance(held, bytes) else open(held, "rb"))
        self._file = held
        super().__init__(
            _esm=_script(self._site), _name=name, _bytes=held.length, **choices
        )
        self.on_msg(self._answer)

    def _answer(self, _: Any, question: Any, __: Any) -> None:
        """Answers a question of the page; whatever it says is a claim."""
        number = question.get("id") if isinstance(question, dict) else None
        if not isinstance(number, str):
            return
        try:
            self.send({"id": number}, buffers=[self._bytes_of(question)])
        except Exception as e:  # the page shows it where it asked
            self.send({"id": number, "error": str(e)})

    def _bytes_of(self, question: dict[str, Any]) -> bytes:
        if question.get("kind") == "asset":
            return _asset(self._site, str(question.get("name")))
        start, end = question.get("start"), question.get("end")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end <= self._file.length:
            raise ValueError(f"the dataset has {self._file.length} bytes, and {start} to {end} were asked for")
        if end - start > _MOST:
            raise ValueError(f"{end - start} bytes are too many at once")
        return self._file.read_at(start, end - start)


def _script(site: Page) -> str:
    """The widget's script."""
    script = site.read("widget.js")
    if script is None:
        raise UnsupportedError("serve.no_viewer", "unsupported", "this package was built without the viewer's widget")
    return script.decode()


def _asset(site: Page, name: str) -> bytes:
    """A part of the page. Only what is of the page's own names is looked for."""
    found = _ASSET.fullmatch(name)
    if found is None:
        raise ValueError(f"the viewer has no part {name!r}")
    stem, ending = name.rsplit(".", 1)
    built = re.compile(rf"assets/{re.escape(stem)}-[\w-]+\.{re.escape(ending)}")
    parts = [site.read(one) or b"" for one in site.names() if built.fullmatch(one)]
    if not parts:
        raise ValueError(f"the viewer has no part {name!r}")
    # The worker stands alone; a part of it that it was made of has the same name, and is smaller.
    return max(parts, key=len)
