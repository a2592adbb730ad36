"""A server of ranges on loopback: one dataset and the viewer's own files, for whoever has the address.

What keeps strangers out: it listens on loopback alone; every path begins with a token that only the address has; requests
under another host's name are refused, so that no web page can point its own name here; only what is named at the start is
served, and no path of a request is joined to a folder's. Connections are bounded, and one that is idle ends.
"""

from __future__ import annotations

import hmac
import json
import mimetypes
import os
import re
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import IO, Callable, Iterator
from urllib.parse import quote, unquote, urlsplit

from ._page import Page

__all__ = ["Served", "Server"]

#: Connections that are answered at a time; who comes then is sent away.
_CONNECTIONS = 32
#: Seconds that a connection may be idle.
_IDLE = 60
#: Bytes that are read at a time.
_PIECE = 1 << 20
_RANGE = re.compile(r"bytes=(\d*)-(\d*)\Z")
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; "
    "media-src 'self' blob:; font-src 'self'; connect-src 'self' blob:; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors http: https: vscode-webview:"
)

Reader = Callable[[int, int], bytes]


class Served:
    """The bytes of a dataset, by ranges."""

    def __init__(self, name: str, length: int, read: Reader, tag: Callable[[], str]) -> None:
        self.name = name
        self.length = length
        self.read = read
        #: Changes where the bytes do.
        self.tag = tag

    @classmethod
    def file(cls, path: str) -> Served:
        """A file of this machine, which is opened once."""
        lock = threading.Lock()
        file: IO[bytes] = open(path, "rb", buffering=0)  # closed with the process: it is served as long as that lives
        length = os.fstat(file.fileno()).st_size

        def read(at: int, size: int) -> bytes:
            with lock:
                file.seek(at)
                return file.read(size)

        def tag() -> str:
            now = os.fstat(file.fileno())
            return f'"{now.st_size:x}-{now.st_mtime_ns:x}"'

        return cls(os.path.basename(path), length, read, tag)


class Server(ThreadingHTTPServer):
    """Serves until it is closed, or the process ends."""

    daemon_threads = True
    request_queue_size = _CONNECTIONS

    def __init__(self, served: Served, site: Page) -> None:
        self.token = secrets.token_urlsafe(24)
        self.served = served
        self.site = site
        self._free = threading.BoundedSemaphore(_CONNECTIONS)
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, name="forebay-view", daemon=True).start()

    @property
    def url(self) -> str:
        """The address, with its token and the dataset to open."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/#file=data/{quote(self.served.name, safe='')}"

    def process_request(self, request: object, client_address: object) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)  # type: ignore[arg-type]
        else:
            self.shutdown_request(request)  # type: ignore[arg-type]

    def process_request_thread(self, request: object, client_address: object) -> None:
        try:
            super().process_request_thread(request, client_address)  # type: ignore[arg-type]
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """A visitor who goes away is no news."""

    def close(self) -> None:
        """Answers nobody any more."""
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    timeout = _IDLE
    server_version = "forebay"
    sys_version = ""

    def log_message(self, format: str, *args: object) -> None:
        """The notebook is not the place for it."""

    def do_GET(self) -> None:
        self._answer(True)

    def do_HEAD(self) -> None:
        self._answer(False)

    def _answer(self, body: bool) -> None:
        host = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host") or ""
        if host.lower() not in ("127.0.0.1", "localhost"):
            return self._text(403, "this server answers to localhost only", body)
        parts = unquote(urlsplit(self.path).path).split("/", 2)
        if len(parts) < 3 or not hmac.compare_digest(parts[1].encode(), self.server.token.encode()):
            return self._text(401, "the address has another token", body)
        name = parts[2]
        if name == "files.json":
            served = self.server.served
            one = {"name": served.name, "url": f"data/{quote(served.name, safe='')}", "bytes": served.length}
            return self._bytes(json.dumps({"files": [one]}).encode(), "application/json", body)
        if name == f"data/{self.server.served.name}":
            return self._dataset(body)
        name = name or "index.html"
        data = self.server.site.read(name)
        if data is None:
            return self._text(404, "there is nothing of that name here", body)
        if name == "index.html":
            # The page asks for the list of files only if it is told that there is one.
            data = data.replace(b"</head>", b'<link rel="forebay-files" href="files.json" /></head>', 1)
        self._bytes(data, _media_type(name), body)

    def _dataset(self, body: bool) -> None:
        served, tag = self.server.served, self.server.served.tag()
        asked = self.headers.get("Range")
        if self.headers.get("If-Range") not in (None, tag):
            asked = None
        part = _part(asked, served.length)
        if part is None:
            self._head(416, [("Content-Range", f"bytes */{served.length}"), ("Content-Length", "0")])
            return
        start, end = part
        headers = [
            ("Content-Type", "application/octet-stream"),
            ("Content-Length", str(end - start)),
            ("Accept-Ranges", "bytes"),
            ("ETag", tag),
            ("Cache-Control", "no-cache"),
        ]
        if asked is not None:
            headers.append(("Content-Range", f"bytes {start}-{end - 1}/{served.length}"))
        self._head(200 if asked is None else 206, headers)
        if body:
            for piece in _pieces(served.read, start, end):
                self.wfile.write(piece)

    def _text(self, status: int, words: str, body: bool) -> None:
        data = f"{words}\n".encode()
        self._head(status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(data)))])
        if body:
            self.wfile.write(data)

    def _bytes(self, data: bytes, kind: str, body: bool) -> None:
        length = [("Content-Type", kind), ("Content-Length", str(len(data))), ("Cache-Control", "no-cache")]
        self._head(200, length)
        if body:
            self.wfile.write(data)

    def _head(self, status: int, headers: list[tuple[str, str]]) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()


def _part(asked: str | None, length: int) -> tuple[int, int] | None:
    """The bytes that a range means; all where none is asked for, nothing where there are none."""
    if asked is None:
        return 0, length
    found = _RANGE.match(asked.strip())
    if found is None or found.group(0) == "bytes=-" or max(map(len, found.groups())) > 18:
        return None
    first, last = found.groups()
    if not first:
        start, end = max(length - int(last), 0), length
    else:
        start, end = int(first), min(int(last) + 1 if last else length, length)
    return (start, end) if start < end else None


def _pieces(read: Reader, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        piece = read(start, min(_PIECE, end - start))
        if not piece:
            # The file became shorter: the connection ends before what was promised.
            raise ConnectionAbortedError("the file became shorter")
        start += len(piece)
        yield piece


def _media_type(name: str) -> str:
    """What a browser is told, whatever this machine's tables say."""
    known = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".css": "text/css"}
    kind = known.get(os.path.splitext(name)[1]) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
