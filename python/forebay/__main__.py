"""The command of the package: ``forebay`` after ``pip install``, or ``python -m forebay``.

It is a small one, over the same library as the command of the same name that cargo installs, and prints JSON: each report
is one line. What is missing here and there: ``bench``, ``serve`` (here ``view``), completions, man pages.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from typing import Any, Callable, Sequence

import forebay

from ._progress import Progress

#: What the process answers with, by the kind of an error.
_EXIT = {"damaged": 1, "limit": 1, "unsupported": 3}


def _plain(value: Any) -> Any:
    """Reports as what JSON has."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {key: one for key, one in dataclasses.asdict(value).items() if key != "details"}
    return value


def _say(value: Any) -> None:
    print(json.dumps(value, default=_plain, ensure_ascii=False))


def _progress() -> Progress:
    return sys.stderr.isatty()


def _given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name in names if (value := getattr(args, name)) not in (None, False)}


def _inspect(args: argparse.Namespace) -> int:
    found = forebay.open(args.file)
    if isinstance(found, forebay.Table):
        columns = [column._asdict() for column in found.schema]
        _say({"file": args.file, "format": found.format, "columns": columns, "notes": found.notes})
        return 0
    facts: dict[str, Any] = {"file": args.file, "format": found.format, "samples": len(found)}
    facts.update(bytes=found.file_bytes, metadata=found.metadata, notes=found.notes)
    if found.manifest is not None:
        facts["manifest"] = found.manifest
    _say(facts)
    return 0


def _head(args: argparse.Namespace) -> int:
    found = forebay.open(args.file)
    if args.where is not None:
        found = found.where(args.where)
    if isinstance(found, forebay.Table):
        for row in found.head(args.lines):
            _say(row)
        return 0
    for sample in found[: args.lines]:
        _say({"i": sample.index, "name": sample.name, **sample.info._asdict(), "metadata": sample.metadata})
    return 0


def _check(args: argparse.Namespace) -> int:
    worst = 0
    for path in args.files:
        report = forebay.check(path, decode=args.decode, progress=_progress())
        _say({"file": path, **_plain(report)})
        worst = max(worst, 0 if report else 1)
    return worst


def _stats(args: argparse.Namespace) -> int:
    _say(forebay.stats(args.file, **_given(args, "where", "label")))
    return 0


def _convert(args: argparse.Namespace) -> int:
    options = _given(args, "to", "where", "compression", "level", "columns", "force", "verify", "keep_going", "lossy")
    if args.size is not None:
        width, _, height = args.size.partition("x")
        options["size"] = (int(width), int(height or width))
        options["fit"] = args.fit
    _say(forebay.convert(args.inputs, args.output, progress=_progress(), **options))
    return 0


def _concat(args: argparse.Namespace) -> int:
    options = _given(args, "compression", "level", "force")
    _say(forebay.concat(args.inputs, args.output, progress=_progress(), **options))
    return 0


def _split(args: argparse.Namespace) -> int:
    options = _given(args, "to", "compression", "level", "force")
    for one in forebay.split(args.file, args.output, args.shards, progress=_progress(), **options):
        _say(one)
    return 0


def _shards(args: argparse.Namespace) -> int:
    options = _given(args, "name", "shuffle", "where", "to", "compression", "level", "force")
    report = forebay.shards.make(args.inputs, args.output, args.shards, jobs=args.jobs, progress=_progress(), **options)
    _say(report)
    return 0 if report else 1


def _diff(args: argparse.Namespace) -> int:
    found = forebay.diff(args.a, args.b, payloads=args.payloads, progress=_progress())
    _say(found)
    return 1 if found else 0


def _extract(args: argparse.Namespace) -> int:
    _say(forebay.extract(args.file, args.to, where=args.where, force=args.force, progress=_progress()))
    return 0


def _plan(args: argparse.Namespace) -> int:
    options = _given(args, "shuffle", "tail", "rank", "where")
    _say(forebay.plan(args.files, world=args.world, batch=args.batch, epoch=args.epoch, **options))
    return 0


def _labels(args: argparse.Namespace) -> int:
    options = _given(args, "format", "pictures", "task", "pick", "exif")
    if args.voc_base is not None:
        options["voc_base"] = args.voc_base
    if args.what == "convert":
        if args.output is None or args.to is None:
            raise forebay.UsageError("usage.argument", "usage", "labels convert takes INPUT OUTPUT --to FORMAT")
        _say(forebay.labels.convert(args.input, args.output, to=args.to, force=args.force, **options))
        return 0
    if args.what == "stats":
        _say(forebay.labels.stats(args.input, **options))
        return 0
    report = forebay.labels.check(args.input, **options)
    _say({"file": args.input, **_plain(report)})
    return 0 if report else 1


def _warehouses(args: argparse.Namespace) -> int:
    if args.what == "list":
        _say(forebay.warehouse.list(args.folder))
    else:
        _say(forebay.warehouse.gc(args.folder, dry_run=args.dry_run))
    return 0


def _view(args: argparse.Namespace) -> int:
    import threading

    with forebay.view(args.file, open=args.open) as view:
        print(view.url, flush=True)
        threading.Event().wait()
    return 0


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    top = argparse.ArgumentParser("forebay", description="Machine-learning dataset files. Reports are lines of JSON.")
    top.add_argument("--version", action="version", version=f"forebay {forebay.__version__} (Python)")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, work: Callable[[argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words, description=words)
        made.set_defaults(work=work)
        return made

    def written(made: argparse.ArgumentParser) -> None:
        made.add_argument("--compression")
        made.add_argument("--level", type=int)
        made.add_argument("--force", action="store_true", help="replace an output that exists")

    one = command("inspect", _inspect, "Show a file's format, size and contents.")
    one.add_argument("file")
    one = command("head", _head, "The first samples or rows.")
    one.add_argument("file")
    one.add_argument("-n", "--lines", type=int, default=10)
    one.add_argument("--where", metavar="FILTER")
    one = command("check", _check, "Look for every fault.")
    one.add_argument("files", nargs="+", metavar="file")
    one.add_argument("--decode", action="store_true", help="decode every image too")
    one = command("stats", _stats, "Sizes, formats and classes; what the values of columns are like.")
    one.add_argument("file")
    one.add_argument("--where", metavar="FILTER")
    one.add_argument("--label", metavar="FIELD")
    one = command("convert", _convert, "Write samples as TBL or TAR, tables as tables, samples as a table.")
    one.add_argument("inputs", nargs="+", metavar="input")
    one.add_argument("output")
    one.add_argument("--to", metavar="FORMAT")
    one.add_argument("--where", metavar="FILTER")
    one.add_argument("--columns", type=lambda text: text.split(","), metavar="NAMES")
    one.add_argument("--size", metavar="WxH", help="store pixels instead of files")
    one.add_argument("--fit", choices=["stretch", "center-crop", "letterbox", "pad"])
    for flag in ("--verify", "--keep-going", "--lossy"):
        one.add_argument(flag, action="store_true")
    written(one)
    one = command("concat", _concat, "Several datasets as one.")
    one.add_argument("inputs", nargs="+", metavar="input")
    one.add_argument("-o", "--output", required=True)
    written(one)
    one = command("split", _split, "One dataset as shards.")
    one.add_argument("file")
    one.add_argument("--shards", type=int, required=True)
    one.add_argument("-o", "--output", required=True, metavar="FOLDER")
    one.add_argument("--to", choices=["tbl", "tar"])
    written(one)
    one = command("shards", _shards, "Many datasets as shards; those that are there stay.")
    one.add_argument("inputs", nargs="+", metavar="input")
    one.add_argument("--shards", type=int, required=True)
    one.add_argument("-o", "--output", required=True, metavar="FOLDER")
    one.add_argument("--name")
    one.add_argument("--shuffle", type=int, metavar="SEED")
    one.add_argument("--where", metavar="FILTER")
    one.add_argument("--jobs", type=int, default=1)
    one.add_argument("--to", choices=["tbl", "tar"])
    written(one)
    one = command("diff", _diff, "Do two datasets hold the same samples?")
    one.add_argument("a")
    one.add_argument("b")
    one.add_argument("--payloads", action="store_true", help="compare neither names nor metadata")
    one = command("extract", _extract, "Samples as files again.")
    one.add_argument("file")
    one.add_argument("--to", required=True, metavar="FOLDER")
    one.add_argument("--where", metavar="FILTER")
    one.add_argument("--force", action="store_true")
    one = command("plan", _plan, "Which samples the ranks of a run get.")
    one.add_argument("files", nargs="+", metavar="file")
    one.add_argument("--world", type=int, default=1)
    one.add_argument("--batch", type=int, default=64)
    one.add_argument("--epoch", type=int, default=0)
    one.add_argument("--shuffle", type=int, metavar="SEED")
    one.add_argument("--tail", choices=["drop", "pad", "uneven"])
    one.add_argument("--rank", type=int)
    one.add_argument("--where", metavar="FILTER")
    one = command("labels", _labels, "Check, count or convert label files.")
    one.add_argument("what", choices=["check", "stats", "convert"])
    one.add_argument("input")
    one.add_argument("output", nargs="?")
    one.add_argument("--to", metavar="FORMAT")
    one.add_argument("--from", dest="format", metavar="FORMAT")
    one.add_argument("--pictures", metavar="FOLDER")
    one.add_argument("--voc-base", type=int, choices=[0, 1])
    one.add_argument("--task", choices=["box", "obb", "segment"])
    one.add_argument("--pick", choices=["first", "last", "all"])
    one.add_argument("--exif", choices=["apply", "ignore", "refuse"])
    one.add_argument("--force", action="store_true")
    one = command("warehouse", _warehouses, "List the tensor warehouses of a folder, or clear old ones away.")
    one.add_argument("what", choices=["list", "gc"])
    one.add_argument("folder")
    one.add_argument("--dry-run", action="store_true")
    one = command("view", _view, "The viewer on a file, until Ctrl-C.")
    one.add_argument("file")
    one.add_argument("--open", action="store_true", help="open a browser window")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; what the process answers with: 0 fine, 1 damaged or different, 2 usage or I/O, 3 unsupported."""
    args = parser().parse_args(arguments)
    try:
        code: int = args.work(args)
        sys.stdout.flush()
        return code
    except forebay.Error as e:
        print(f"forebay: {e}", file=sys.stderr)
        return _EXIT.get(e.kind, 2)
    except (TypeError, ValueError) as e:
        print(f"forebay: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Who reads has enough; nothing is left to be written at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
