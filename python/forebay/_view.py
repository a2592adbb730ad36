"""The viewer, inside a notebook or in a browser, on a dataset of this process."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from html import escape
from typing import Any

from . import _forebay
from ._dataset import Dataset, open_samples
from ._errors import UnsupportedError
from ._files import Ranges, is_url
from ._page import page

__all__ = ["View", "view"]

#: Variables of hosts whose kernels have no port that the browser can reach: Colab, Kaggle, JupyterHub.
_FAR = ("COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE", "JUPYTERHUB_SERVICE_PREFIX")


class View:
    """A viewer that is served by this process until :meth:`close`, or until the process ends."""

    def __init__(self, held: str | bytes, height: int) -> None:
        self._folder = None
        if isinstance(held, bytes):
            # A dataset in memory has a file as long as it is shown.
            self._folder = tempfile.TemporaryDirectory(prefix="forebay-view-")
            path = os.path.join(self._folder.name, "dataset")
            with io.open(path, "wb") as file:
                file.write(held)
            held = path
        self._server: _forebay.Server | None = _forebay.Server(held)
        self._height = height
        #: The address. Anybody on this machine who has it can read the dataset.
        self.url = self._server.url

    def close(self) -> None:
        """Ends the server."""
        if self._server is not None:
            self._server.close()
            self._server = self._folder = None

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<forebay.View: closed>" if self._server is None else f"<forebay.View: {self.url}>"

    def _repr_html_(self) -> str:
        if self._server is None:
            return "<p>this view was closed</p>"
        style = f"width:100%;height:{self._height}px;border:0"
        return f'<iframe title="Forebay" src="{escape(self.url)}" style="{style}"></iframe>'


def view(source: Any, *, open: bool | None = None, height: int = 640, kernel: bool | None = None) -> Any:
    """Shows a dataset in the viewer: in a notebook where this runs in one, otherwise in the browser.

    ``source`` is a file, or a :class:`forebay.Dataset` or :class:`forebay.Table` over one. The file is served as a whole, by ranges,
    on loopback, to anybody who has the address; the viewer does not know a selection made by ``where``. ``open`` opens a browser
    window or not. With ``kernel=True`` the bytes go through the notebook's own connection instead of a port, as
    :class:`forebay.widget.Viewer` (needs anywidget); this is the default on Colab, Kaggle and JupyterHub.
    """
    if kernel if kernel is not None else _in_notebook() and any(name in os.environ for name in _FAR):
        from .widget import Viewer

        return Viewer(source, height=height)
    site = page()
    _forebay.give_page({name: site.read(name) or b"" for name in site.names()})
    name, held = held_of(source)
    if isinstance(held, Ranges):
        raise _not_shown("a file object goes through the notebook's connection only: give kernel=True", name)
    found = View(held, height)
    if open if open is not None else not _in_notebook():
        import webbrowser

        webbrowser.open(found.url)
    return found


def held_of(source: Any) -> tuple[str, str | bytes | Ranges]:
    """The name of a dataset or table, and its file: a path, bytes, or what reads them."""
    if not isinstance(source, Dataset):
        # A table is the file that it was opened from.
        path = getattr(source, "_source", source)
        if isinstance(path, (str, os.PathLike)) and os.path.isfile(path) and not str(path).endswith("manifest.json"):
            return os.path.basename(path), os.fspath(path)
        source = open_samples(source)
    held = source._source
    if isinstance(held, bytes):
        return "dataset", held
    if isinstance(held, Ranges) or os.path.isfile(held) and not is_url(held) and source.manifest is None:
        return os.path.basename(source.name), held
    raise _not_shown("the viewer shows files: TBL, TAR and tables; folders and warehouses it does not show yet", source.name)


def _not_shown(message: str, name: str) -> UnsupportedError:
    return UnsupportedError("usage.argument", "unsupported", message, place={"file": name})


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and "kernel" in type(found).__module__
