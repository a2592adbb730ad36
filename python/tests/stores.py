"""Stores of objects on this machine: the project's own, and emulators that others wrote, filled by clients of their own."""

from __future__ import annotations

import http.client
import http.server
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from typing import Any, Callable

#: The account that every Azurite has, as its documentation says.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
BUCKET = "forebay"

#: What a service account's file has.
KEY_OF_GOOGLE = ("private_key", "private_key_id", "client_email")

#: What must not be in anything that Forebay says or keeps.
SECRETS = ["hidden-secret", KEY]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


Client = tuple[Callable[[str, bytes], None], Callable[[str], bytes]]


class Store:
    """A server, and how it is spoken to."""

    #: How its addresses begin.
    root: str
    #: Whether it says which objects there are.
    lists = True
    #: Whether it takes objects in parts.
    parts = True

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.log = (folder / "log").open("wb")
        self.process = subprocess.Popen(self.command(), cwd=folder, stdout=self.log, stderr=subprocess.STDOUT)
        self.wait()
        self.put, self.get = self.client()

    def wait(self) -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        self.close()
        raise RuntimeError(f"{type(self).__name__} does not start: {(self.folder / 'log').read_text()[-2000:]}")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self.log.close()

    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        raise NotImplementedError

    def client(self) -> Client:
        """How bytes are put under a name, and what is there."""
        raise NotImplementedError


class S3(Store):
    root = f"s3://{BUCKET}"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]

    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.url(),
            "AWS_ACCESS_KEY_ID": "KEY",
            "AWS_SECRET_ACCESS_KEY": "hidden-secret",
            "AWS_REGION": "us-east-1",
            "AWS_SHARED_CREDENTIALS_FILE": "none",
            "AWS_CONFIG_FILE": "none",
        }

    def client(self) -> Client:
        import boto3  # type: ignore[import-not-found, import-untyped, unused-ignore]

        made = boto3.client(
            "s3",
            endpoint_url=self.url(),
            aws_access_key_id="KEY",
            aws_secret_access_key="hidden-secret",
            region_name="us-east-1",
        )
        made.create_bucket(Bucket=BUCKET)
        return (
            lambda name, data: made.put_object(Bucket=BUCKET, Key=name, Body=data) and None,
            lambda name: bytes(made.get_object(Bucket=BUCKET, Key=name)["Body"].read()),
        )


class Own(S3):
    """What the benchmarks read from, `tools/src/store`: it needs nothing but what cargo builds."""

    # A process speaks to a bucket as it did first, wherever its environment says later that this is.
    bucket = "own"
    root = f"s3://{bucket}"

    def command(self) -> list[str]:
        served = self.folder / "served"
        (served / self.bucket).mkdir(parents=True)
        return [os.environ["FOREBAY_STORE"], str(served), "--port", str(self.port)]

    def client(self) -> Client:
        def ask(method: str, name: str, data: bytes | None = None) -> bytes:
            url = f"{self.url()}/{self.bucket}/{urllib.parse.quote(name)}"
            with urllib.request.urlopen(urllib.request.Request(url, data, method=method)) as answer:
                return bytes(answer.read())

        def put(name: str, data: bytes) -> None:
            ask("PUT", name, data)

        return put, lambda name: ask("GET", name)


class Azure(Store):
    root = f"az://{BUCKET}"

    def command(self) -> list[str]:
        node = shutil.which("node") or "node"
        script = pathlib.Path(os.environ["AZURITE"]) / "node_modules/azurite/dist/src/blob/main.js"
        place = ["--location", str(self.folder), "--blobHost", "127.0.0.1", "--blobPort", str(self.port)]
        return [node, str(script), *place, "--silent", "--disableTelemetry", "--skipApiVersionCheck", "--loose"]

    def endpoint(self) -> str:
        return f"{self.url()}/{ACCOUNT}"

    def environment(self) -> dict[str, str]:
        return {
            "AZURE_STORAGE_ENDPOINT": self.endpoint(),
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": KEY,
        }

    def client(self) -> Client:
        from azure.storage.blob import ContainerClient  # type: ignore[import-not-found, unused-ignore]

        made = ContainerClient(self.endpoint(), BUCKET, credential={"account_name": ACCOUNT, "account_key": KEY})
        made.create_container()
        return (
            lambda name, data: made.upload_blob(name, data, overwrite=True) and None,
            lambda name: bytes(made.download_blob(name).readall()),
        )


class Door(http.server.BaseHTTPRequestHandler):
    """Hands on what is asked of it, and adds what real stores do: they say which state of the object this is, and write
    under the condition that it is this one."""

    protocol_version = "HTTP/1.1"

    def named(self) -> str:
        """The object, however its name is encoded."""
        return urllib.parse.unquote(self.path)

    def do_GET(self) -> None:
        assert isinstance(self.server, Doors)
        inner = http.client.HTTPConnection("127.0.0.1", self.server.to)
        # The emulator knows no HEAD.
        inner.request("GET", self.path, headers=dict(self.headers))
        answer = inner.getresponse()
        body = answer.read()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "last-modified", "etag"):
                self.send_header(name, value)
        generation = self.server.generations.get(self.named(), 1)
        self.send_header("etag", f'"{generation}"')
        self.send_header("x-goog-generation", str(generation))
        self.send_header("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)
        inner.close()

    do_HEAD = do_GET

    def do_PUT(self) -> None:
        assert isinstance(self.server, Doors)
        body = self.rfile.read(int(self.headers["content-length"]))
        inner = http.client.HTTPConnection("127.0.0.1", self.server.to)
        inner.request("GET", self.path)
        there = inner.getresponse()
        there.read()
        generation = self.server.generations.get(self.named(), 1) if there.status == 200 else 0
        wanted = self.headers.get("x-goog-if-generation-match")
        if wanted is not None and int(wanted) != generation:
            status, said = 412, b"<Error><Code>PreconditionFailed</Code><Message>It is another.</Message></Error>"
        else:
            inner.request("PUT", self.path, body, {"content-type": "application/octet-stream"})
            answer = inner.getresponse()
            status, said = answer.status, answer.read()
            self.server.generations[self.named()] = generation = generation + 1
        self.send_response_only(status)
        self.send_header("etag", f'"{generation}"')
        self.send_header("x-goog-generation", str(generation))
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)
        inner.close()

    def log_message(self, *_: object) -> None:
        pass


class Doors(http.server.ThreadingHTTPServer):
    daemon_threads = True
    to = 0

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        #: How often each object was written.
        self.generations: dict[str, int] = {}


class Google(Store):
    root = f"gs://{BUCKET}"
    # The emulator answers the lists of the XML interface, which real stores have, with 501, and knows no parts there.
    lists = parts = False

    def command(self) -> list[str]:
        start = "from gcp_storage_emulator.__main__ import main; main()"
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--in-memory", "--default-bucket", BUCKET]
        return [sys.executable, "-c", start, "start", *options]

    def environment(self) -> dict[str, str]:
        if hasattr(self, "door"):
            return self.said
        self.door = Doors(("127.0.0.1", 0), Door)
        self.door.to = self.port
        threading.Thread(target=self.door.serve_forever, daemon=True).start()
        # Who reads may leave signatures away; who writes has credentials, and the emulator believes any.
        key = self.folder / "key.json"
        key.write_text(json.dumps({**dict.fromkeys(KEY_OF_GOOGLE, "hidden-secret"), "disable_oauth": True}))
        place = f"http://127.0.0.1:{self.door.server_port}"
        self.said = {"GOOGLE_BASE_URL": place, "GOOGLE_SERVICE_ACCOUNT": str(key)}
        return self.said

    def client(self) -> Client:
        self.environment()

        def put(name: str, data: bytes) -> None:
            path = f"/{BUCKET}/{name}"
            self.door.generations[path] = self.door.generations.get(path, 1) + 1
            query = urllib.parse.urlencode({"uploadType": "media", "name": name})
            url = f"{self.url()}/upload/storage/v1/b/{BUCKET}/o?{query}"
            asked = urllib.request.Request(url, data, {"content-type": "application/octet-stream"})
            urllib.request.urlopen(asked).close()

        def get(name: str) -> bytes:
            with urllib.request.urlopen(f"{self.url()}/{BUCKET}/{name}") as answer:
                return bytes(answer.read())

        return put, get


OTHERS: dict[str, type[Store]] = {"s3": S3, "azure": Azure, "google": Google}


def here() -> dict[str, type[Store]]:
    """Those that can be started. `npm test` builds the project's own; `npm run test:remote` also installs the others."""
    own: dict[str, type[Store]] = {"own": Own} if "FOREBAY_STORE" in os.environ else {}
    return {**own, **(OTHERS if importlib.util.find_spec("moto") and "AZURITE" in os.environ else {})}
