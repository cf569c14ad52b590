"""action-loom library find: find stretches of a library's clips, or of motion files, by words for their content."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import LoomError, OptionError
from ..formats import motion_file
from ..library import stretches, text
from ..library.ending import ENDING
from ..library.storage import in_order
from ..library.storage import read as read_library
from ..motion.clip import Clip
from ..verbs.take import cutting, words
from ..verbs.take.words import Hit
from . import common, outputs
from .host import Host

MOST = 20


def add_verb(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", about: str) -> None:
    parser = kinds.add_parser("find", help=about, description=about)
    parser.add_argument("among", metavar=f"NAME{ENDING} | CLIP", help="a library, or a motion file")
    known = ", ".join(sorted(words.MEANINGS))
    others = "other words must be in names or labels"
    parser.add_argument("words", nargs="+", metavar="WORD", help=f"of what is done: {known}; {others}")
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help=f"how many at most (default: {MOST})")
    common.add_common(parser)
    parser.set_defaults(run=run)


def run(_: Host, arguments: argparse.Namespace) -> None:
    """Print the stretches that match all words, longest first; raises LoomError kinds."""
    if arguments.most < 1:
        raise OptionError(f"--most is {arguments.most}, but must be at least 1")
    report = None if arguments.report is None else Path(arguments.report)
    outputs.check([report], arguments.force, inputs=[arguments.among])
    query = words.parse_query(" ".join(arguments.words))
    rows: list[tuple[float, str, Hit]] = []
    troubles = []
    with common.progress(arguments.quiet) as progress:
        for fraction, path, label, load in _clips(arguments.among):
            progress.at(fraction, "Looking")
            if not words.match_name(query, label):
                continue
            try:
                clip: Clip = load()
                hits = words.find(query, cutting.cut(clip), label)
            except LoomError as error:
                troubles.append(str(error) if path in str(error) else f"{path}: {error}")
                continue
            rows += [((hit.last - hit.first) / clip.rate, path, hit) for hit in hits]
    rows.sort(key=lambda row: (-row[0], row[1], row[2].first))
    found = [
        {"clip": path, "seconds": round(seconds, 3), **vars(hit), "words": list(hit.words)}
        for seconds, path, hit in rows[: arguments.most]
    ]
    if report is not None:
        about = {"verb": "library find", "among": arguments.among, "words": arguments.words}
        outputs.write({report: outputs.as_json(about | {"found": found, "not_read": troubles})}, arguments.force)
    if not arguments.quiet:
        print("\n".join(_line(one) for one in found) or "no stretch has all these words")
        print("\n".join(f"  not read: {why}" for why in troubles), end="\n" if troubles else "")


def _line(one: dict[str, Any]) -> str:
    return f"{one['name']}  {one['seconds']:.2f} s  {Path(one['clip']).stem}[{one['first']}:{one['last']}]"


def _clips(among: str) -> Iterator[tuple[float, str, str, Any]]:
    """Yield for each clip the share of work done, its path, its text, and a function that reads it."""
    if not among.rstrip("/\\").lower().endswith(ENDING):
        yield 0.0, among, Path(among).name, lambda: motion_file.read(among).clip
        return
    entries = in_order(read_library(among).clips)
    for k, entry in enumerate(entries):
        yield k / len(entries), entry.path, text.text_of(entry), lambda entry=entry: stretches.read(entry).clip
