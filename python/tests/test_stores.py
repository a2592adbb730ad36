"""Addresses, against the project's own store, and by `npm run test:remote` against stores that others wrote."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import pathlib
import pickle
import signal
import subprocess
import tarfile
from typing import Any, Iterator

import pytest

import forebay
import stores
from conftest import bmp, numbered

if not stores.here():
    pytest.skip("no store can be started; npm run test:python builds the project's own", allow_module_level=True)

SAMPLES = 400
#: Who does not answer is not waited for.
HASTE = {"FOREBAY_REMOTE_TRIES": "2", "FOREBAY_REMOTE_TIMEOUT": "10"}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A dataset in several forms, tables and a warehouse."""
    folder = tmp_path_factory.mktemp("files")
    numbered(folder / "a.tar", SAMPLES)
    forebay.convert(folder / "a.tar", folder / "a.tbl")
    (folder / "s").mkdir()
    for i in range(4):
        some = f"index >= {i * SAMPLES // 4} && index < {(i + 1) * SAMPLES // 4}"
        forebay.convert(folder / "a.tar", folder / f"s/a-{i}.tbl", where=some)
    (folder / "t.csv").write_text("name,age\n" + "".join(f"n{i},{i}\n" for i in range(1000)))
    forebay.convert(folder / "t.csv", folder / "t.parquet")
    forebay.convert(folder / "t.csv", folder / "t.arrow")
    (folder / "pictures/cat").mkdir(parents=True)
    for i in range(5):
        (folder / f"pictures/cat/{i}.bmp").write_bytes(bmp(8, 8, (i, i, i)))
    forebay.warehouse.build(folder / "pictures", folder / "w", size=8)
    return folder


@pytest.fixture(scope="session", params=list(stores.here()))
def store(request: Any, files: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[stores.Store]:
    made, before = stores.here()[request.param](tmp_path_factory.mktemp(request.param)), dict(os.environ)
    try:
        for path in sorted(files.rglob("*")):
            if path.is_file():
                made.put(str(path.relative_to(files)), path.read_bytes())
        os.environ.update({**HASTE, **made.environment()})
        yield made
    finally:
        os.environ.clear()
        os.environ.update(before)
        made.close()


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    found = subprocess.run([os.environ["FOREBAY"], *arguments], capture_output=True, text=True, timeout=120)
    for secret in stores.SECRETS:
        assert secret not in found.stdout + found.stderr
    return found


def said(*arguments: str) -> Any:
    found = command(*arguments, "--json")
    assert found.returncode == 0, found.stderr
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    return lines[0] if len(lines) == 1 else lines


def timeless(value: Any) -> Any:
    """Without what differs between two runs."""
    if isinstance(value, dict):
        return {name: timeless(of) for name, of in value.items() if name not in ("seconds", "modified")}
    return [timeless(of) for of in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["a.tbl", "a.tar", "t.csv", "t.parquet", "t.arrow"])
@pytest.mark.parametrize("verb", ["inspect", "head", "stats", "check"])
def test_commands_say_of_an_object_what_they_say_of_the_file(
    store: stores.Store, files: pathlib.Path, verb: str, name: str
) -> None:
    address = f"{store.root}/{name}"
    right, found = said(verb, str(files / name)), said(verb, address)
    assert json.dumps(timeless(found)).replace(address, str(files / name)) == json.dumps(timeless(right))


def test_an_object_is_converted_from(store: stores.Store, files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for name, to in [("a.tar", "out.tbl"), ("a.tbl", "out.tar"), ("t.parquet", "out.csv")]:
        said("convert", f"{store.root}/{name}", str(tmp_path / to))
    # An archive elsewhere is read once, so how many samples it has is known last: the index has room for more.
    assert said("diff", str(files / "a.tbl"), str(tmp_path / "out.tbl"), "--payloads") is not None
    assert said("diff", str(files / "a.tbl"), f"{store.root}/a.tbl", "--payloads") is not None


def test_what_is_written_is_the_file_and_replaces_nothing_unseen(
    store: stores.Store, files: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    address = f"{store.root}/written/a.tbl"
    said("convert", str(files / "a.tar"), address)
    right = (files / "a.tbl").read_bytes()
    assert store.get("written/a.tbl") == right
    store.put("written/a.tbl", b"another's")
    refused = command("convert", str(files / "a.tar"), address, "--json")
    assert refused.returncode == 2 and store.get("written/a.tbl") == b"another's"
    said("convert", str(files / "a.tar"), address, "--force")
    assert store.get("written/a.tbl") == right


def test_of_two_who_write_the_same_object_one_wins(store: stores.Store) -> None:
    # Nothing was there, and something was: both times another writer comes in between.
    for force in (False, True):
        name = f"raced-{force}.tbl"
        if force:
            store.put(name, b"seen")
        writer = forebay.TblWriter(f"{store.root}/{name}", force=force)
        writer.add(bmp(8, 8, (1, 2, 3)))
        store.put(name, b"another's")
        with pytest.raises(forebay.Error) as e:
            writer.finish()
        assert e.value.code == "usage.argument", e.value
        assert store.get(name) == b"another's"


def test_an_object_of_several_parts_is_the_file(store: stores.Store, tmp_path: pathlib.Path) -> None:
    if not store.parts:
        pytest.skip("this emulator takes no parts; the server of the Rust tests stands in")
    big, address = tmp_path / "big.tar", f"{store.root}/written/big.tbl"
    with tarfile.open(big, "w") as archive:
        for i in range(5):
            member = tarfile.TarInfo(f"{i}.bin")
            member.size = 4 << 20
            archive.addfile(member, io.BytesIO(os.urandom(member.size)))
    said("convert", str(big), str(tmp_path / "big.tbl"))
    said("convert", str(big), address)
    assert store.get("written/big.tbl") == (tmp_path / "big.tbl").read_bytes()
    if isinstance(store, stores.S3):
        assert said("parts", "list", f"{store.root}/") == {"uploads": []}


def test_patterns_and_folders_stand_for_objects(store: stores.Store, tmp_path: pathlib.Path) -> None:
    given = [f"{store.root}/s/*.tbl", f"{store.root}/s/"]
    if not store.lists:
        refused = command("inspect", "--json", given[0])
        assert refused.returncode == 2 and json.loads(refused.stdout)["error"]["code"] == "remote.server", refused
        return
    for place in given:
        assert command("concat", place, "-o", str(tmp_path / "all.tbl"), "--force").returncode == 0
        assert len(forebay.open(tmp_path / "all.tbl")) == SAMPLES
    assert len(forebay.Loader(given[0], batch=1)) == SAMPLES
    assert said("inspect", f"{store.root}/pictures/")["samples"] == 5


def test_python_reads_samples_batches_and_tables(store: stores.Store, files: pathlib.Path) -> None:
    right, found = forebay.open(files / "a.tbl"), forebay.open(f"{store.root}/a.tbl")
    assert [bytes(one.payload) for one in found] == [bytes(one.payload) for one in right]
    assert [one.metadata for one in found[:20]] == [one.metadata for one in right[:20]]
    assert len(found.where("width >= 4")) == SAMPLES and found.check().ok

    def batches(path: Any) -> list[Any]:
        loader = forebay.Loader(path, batch=32, size=4, labels="cls", shuffle=7)
        return [(batch.images.tobytes(), batch.labels.tolist()) for batch in loader]

    assert batches(f"{store.root}/a.tbl") == batches(str(files / "a.tbl"))
    for name in ["t.csv", "t.parquet", "t.arrow"] if importlib.util.find_spec("pyarrow") else []:
        table = forebay.open_table(f"{store.root}/{name}")
        assert table.to_arrow().equals(forebay.open_table(files / name).to_arrow()), name


def test_a_warehouse_is_trained_from(store: stores.Store, files: pathlib.Path) -> None:
    (manifest,) = files.glob("w/*/manifest.json")
    address = f"{store.root}/{manifest.relative_to(files)}"

    def images(path: Any) -> list[bytes]:
        return [batch.images.tobytes() for batch in forebay.Loader(path, batch=2, shuffle=3)]

    assert images(address) == images(str(manifest))
    assert forebay.open(address).check().ok


def test_a_cache_makes_the_second_epoch_ask_for_nothing(store: stores.Store, tmp_path: pathlib.Path) -> None:
    with forebay.Loader(f"{store.root}/a.tbl", batch=40, shuffle=7, cache=tmp_path / "kept") as loader:
        first = [bytes(one) for batch in loader for one in batch.payloads]
        store.process.send_signal(signal.SIGSTOP)
        try:
            second = [bytes(one) for batch in loader for one in batch.payloads]
        finally:
            store.process.send_signal(signal.SIGCONT)
    assert first != second and sorted(first) == sorted(second) and len(first) == SAMPLES


def test_a_shell_never_sees_a_name(store: stores.Store, tmp_path: pathlib.Path) -> None:
    odd = "odd $(touch caught) `id` ; 'x' é.csv"
    store.put(odd, b"a,b\n1,2\n")
    assert said("inspect", f"{store.root}/{odd}")["rows"] == 1
    assert not pathlib.Path("caught").exists()


def test_pickles_and_states_hold_no_secret(store: stores.Store) -> None:
    address = f"{store.root}/a.tbl"
    dataset, loader = forebay.open(address), forebay.Loader(address, batch=32)
    kept = pickle.dumps(dataset) + pickle.dumps(loader) + json.dumps(loader.state_dict()).encode()
    kept += repr((dataset, loader)).encode()
    assert len(pickle.loads(pickle.dumps(dataset))) == SAMPLES
    assert not any(secret.encode() in kept for secret in stores.SECRETS)


@pytest.mark.parametrize(("name", "code"), [("none.tbl", "remote.not_found"), ("../x.tbl", "remote.address")])
def test_what_is_not_there_is_said(store: stores.Store, name: str, code: str) -> None:
    with pytest.raises(forebay.Error) as e:
        forebay.open(f"{store.root}/{name}")
    assert e.value.code == code


def test_a_wrong_bucket_is_said(store: stores.Store) -> None:
    with pytest.raises(forebay.Error) as e:
        forebay.open(f"{store.root}-none/a.tbl")
    # Its emulator knows nothing of such buckets.
    assert e.value.code == "remote.server" if isinstance(store, stores.Google) else "remote.bucket"


def test_a_wrong_key_is_said(store: stores.Store) -> None:
    if not isinstance(store, stores.Azure):
        pytest.skip("this emulator believes every signature")
    wrong = {**os.environ, "AZURE_STORAGE_ACCOUNT_KEY": "aGlkZGVuLXNlY3JldA=="}
    run = [os.environ["FOREBAY"], "inspect", "--json", f"{store.root}/a.tbl"]
    found = subprocess.run(run, capture_output=True, text=True, env=wrong, timeout=120)
    assert found.returncode == 2 and "aGlkZGVu" not in found.stdout + found.stderr
    assert json.loads(found.stdout)["error"]["code"] in ("remote.denied", "remote.credentials")


def test_rust_reads_it(store: stores.Store, files: pathlib.Path) -> None:
    if "FOREBAY_STORE_TEST" not in os.environ:
        pytest.skip("npm run test:remote builds the test; against a server of its own Rust is tested in native/tests/it/remote")
    env = {**os.environ, "FOREBAY_STORE_FILE": str(files / "a.tbl"), "FOREBAY_STORE_ADDRESS": f"{store.root}/a.tbl"}
    run = [os.environ["FOREBAY_STORE_TEST"], "--ignored", "stores::"]
    found = subprocess.run(run, capture_output=True, text=True, env=env, timeout=300)
    assert found.returncode == 0 and " 0 failed" in found.stdout and " 0 passed" not in found.stdout, found.stdout
