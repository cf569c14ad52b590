"""action-loom library index | info | list | find | search | similar | graph: many clips, and searches among them."""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import verbs
from ..errors import LibraryError, OptionError
from ..formats import motion_file, registry
from ..library import asking, copies, feature, index, stretches, text
from ..library import search as searching
from ..library import similar as similarity
from ..library.basis import Rows
from ..library.ending import ENDING
from ..library.search import Found, Searched
from ..library.similar import Cluster
from ..library.storage import Entry, Library, Stretch, in_order
from ..library.storage import read as read_library
from ..motion.clip import Clip
from ..options import readable
from ..progress import Progress
from ..verbs import BuildGraph
from . import artefacts, common, cuts, library_find, outputs, summary, workers
from .host import Host

MOST = 20
MARGIN = 1.0  # s before and after each found stretch
_WORDS = 'only clips with these words in their names, folders or labels, and none with a minus: "walk -sneak"'


@dataclass(frozen=True, eq=False)
class Query:
    """A query: frames first … last of a clip, and their rows in several forms (see `asking.rows`)."""

    clip: Clip
    first: int
    last: int
    asked: tuple[Rows, ...]

    @property
    def stretch(self) -> Clip:
        part = self.clip.cut(self.first, self.last + 1)
        return replace(part, name=f"{self.clip.name} {self.first}-{self.last}")


def add_arguments(parser: argparse.ArgumentParser, host: Host) -> None:
    kinds = parser.add_subparsers(
        title="what is done",
        dest="kind",
        required=True,
        metavar="index | info | list | find | search | similar | graph",
    )
    _add_index(kinds, host)
    info = kinds.add_parser("info", help="what is in a library")
    _add_library(info)
    info.set_defaults(run=_info)
    listing = kinds.add_parser("list", help="the clips of a library")
    _add_library(listing)
    listing.add_argument("--like", metavar="WORDS", help=_WORDS)
    listing.set_defaults(run=_list)
    find = "find stretches by words for what is done in them, such as slow walk turning left"
    library_find.add_verb(kinds, find)
    _add_search(kinds, host)
    _add_similar(kinds, host)
    _add_graph(kinds, host)


def _add_library(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("library", metavar=f"NAME{ENDING}")
    common.add_common(parser)


def _add_index(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    parser = kinds.add_parser(
        "index",
        help=f"put the clips of folders ({', '.join(registry.readable())}) into a library, or what has changed in them",
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("-o", "--output", metavar=f"NAME{ENDING}", required=True, help="the library, a folder")
    labels = "a table of words: files in its first column, words in those called label, description, tags …"
    parser.add_argument("--labels", metavar="T.csv", action="append", default=[], help=labels)
    workers.add_flags(parser, host)
    common.add_common(parser)
    parser.set_defaults(run=_index)


def _add_search(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    parser = kinds.add_parser("search", help="find stretches that are like one of a clip, whatever their tempo")
    parser.add_argument("library", metavar=f"NAME{ENDING}")
    parser.add_argument("clip", metavar=_stretch_of(host), help="frames FIRST to LAST of a clip; all without brackets")
    _add_searching(parser, host)
    parser.add_argument("--mirror", action="store_true", help="find it in a mirror, too")
    parser.add_argument("--extract", metavar="FOLDER", help="write each stretch that is found as a motion file there")
    common.add_picture(parser, host, "draw what is found as figures")
    common.add_common(parser)
    parser.set_defaults(run=_search)


def _add_similar(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    text = "find all stretches that are like one another, and clusters of them"
    parser = kinds.add_parser("similar", help=text, description=text)
    _add_library(parser)
    parser.add_argument("--like", metavar="WORDS", help=_WORDS)
    farthest = f"distance up to which stretches are alike (default: {similarity.FARTHEST:g})"
    parser.add_argument("--farthest", type=float, default=similarity.FARTHEST, metavar="DISTANCE", help=farthest)
    least = f"windows of a second that a cluster has at least (default: {similarity.LEAST})"
    parser.add_argument("--least", type=int, default=similarity.LEAST, metavar="N", help=least)
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help=f"clusters shown at most (default: {MOST})")
    common.add_picture(parser, host, "draw what is typical of each cluster")
    workers.add_flags(parser, host)
    parser.set_defaults(run=_similar)


def _add_graph(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    text = "connect what is found to a motion graph: stretches like one of a clip, or all clips with some words"
    parser = kinds.add_parser("graph", help=text, description=text)
    parser.add_argument("library", metavar=f"NAME{ENDING}")
    parser.add_argument("clip", nargs="?", metavar=_stretch_of(host), help="what is searched for; none: --like alone")
    _add_searching(parser, host)
    text = "seconds before and after each stretch that come along"
    parser.add_argument("--margin", type=float, default=MARGIN, metavar="SECONDS", help=f"{text} (default: {MARGIN:g})")
    # Here --like gives required words of a clip.
    common.add_options(parser, readable(BuildGraph))
    common.add_common(parser)
    parser.add_argument("-o", "--output", metavar="OUT.npz", required=True, help="the graph, with its clips")
    parser.set_defaults(run=_graph)


def _stretch_of(host: Host) -> str:
    return f"{host.clip}{cuts.METAVAR}"


def _add_searching(parser: argparse.ArgumentParser, host: Host) -> None:
    parts = tuple(feature.PARTS)
    parser.add_argument("--part", choices=parts, default=parts[0], help="of the body that is compared (default: whole)")
    parser.add_argument("--like", metavar="WORDS", help=_WORDS)
    parser.add_argument("--others", action="store_true", help="leave the clip itself out")
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help=f"how many at most (default: {MOST})")
    common.add_options(parser, host.reading)


def _index(host: Host, arguments: argparse.Namespace) -> None:
    workers.check(host, arguments)
    library = arguments.output
    if not library.rstrip("/\\").lower().endswith(ENDING):
        raise OptionError(f"-o is {library!r}, but a library's name ends in {ENDING}")
    report = _report_of(arguments)
    labels: dict[str, str] = {}
    for table in arguments.labels:
        labels |= index.read_labels(table)
    with common.progress(arguments.quiet) as progress:
        changes = index.update(
            library,
            arguments.folders,
            labels=labels if arguments.labels else None,
            attempts=workers.attempts(host, arguments),
            progress=progress,
        )
    _write_report(report, arguments, vars(changes))
    if arguments.quiet:
        return
    counts = [(len(getattr(changes, how)), how) for how in ("added", "changed", "moved", "removed", "unchanged")]
    print(f"{library}: {', '.join(f'{count} {how}' for count, how in counts if count)}")
    _print_troubles(changes.troubles)


def _info(_: Host, arguments: argparse.Namespace) -> None:
    report = _report_of(arguments)
    library = read_library(arguments.library)
    clips = library.clips
    rows = [clip.rows for clip in clips]
    kept = float(np.average([clip.kept for clip in clips], weights=rows)) if rows else 0.0
    frames, minutes = sum(clip.frames for clip in clips), sum(clip.frames / clip.rate for clip in clips) / 60.0
    troubles = {entry.path: entry.trouble for entry in library.entries if entry.trouble}
    folders = Counter(str(Path(clip.path).parent) for clip in clips)
    about = {"clips": len(clips), "frames": frames, "minutes": round(minutes, 2), "rows": sum(rows)}
    _write_report(report, arguments, about | {"kept": round(kept, 4), "folders": folders, "not_read": troubles})
    if arguments.quiet:
        return
    print(f"{len(clips)} clips, {frames} frames, {minutes:.1f} minutes")
    print(f"  {sum(rows)} rows of 30 a second, which tell {100.0 * kept:.0f} % of how poses and speeds vary")
    for folder, count in sorted(folders.items()):
        print(f"  {folder}: {count} clips")
    _print_troubles(troubles)


def _list(_: Host, arguments: argparse.Namespace) -> None:
    report = _report_of(arguments)
    fits = _fitting(arguments.like)
    clips = in_order(clip for clip in read_library(arguments.library).clips if fits(clip))
    rows = [
        {"clip": clip.path, "frames": clip.frames, "rate": clip.rate, "seconds": _seconds(clip), "label": clip.label}
        for clip in clips
    ]
    _write_report(report, arguments, {"clips": rows})
    if not arguments.quiet:
        for clip in clips:
            print("  ".join(filter(None, (clip.name, f"{_seconds(clip):.2f} s", clip.label, clip.path))))


def _report_of(arguments: argparse.Namespace) -> Path | None:
    """Return the file for the report after checking that it can be written; raises LoomError."""
    report = None if arguments.report is None else Path(arguments.report)
    outputs.check([report], arguments.force, inputs=_inputs_of(arguments))
    return report


def _inputs_of(arguments: argparse.Namespace) -> list[str]:
    """Return the files that a command reads besides the library."""
    clip = getattr(arguments, "clip", None)
    return [*([cuts.split(clip).clip] if clip else []), *(getattr(arguments, "labels", None) or [])]


def _write_report(report: Path | None, arguments: argparse.Namespace, about: Mapping[str, Any]) -> None:
    if report is not None:
        verb = {"verb": f"library {arguments.kind}"}
        outputs.write({report: outputs.as_json(verb | dict(about))}, arguments.force)


def _print_troubles(troubles: Mapping[str, str]) -> None:
    for path, why in sorted(troubles.items()):
        print(f"  not read: {why if path in why else f'{path}: {why}'}")


def _seconds(clip: Entry) -> float:
    return round((clip.frames - 1) / clip.rate, 4)


def _search(host: Host, arguments: argparse.Namespace) -> None:
    report, picture = common.check_outputs(host, arguments, _inputs_of(arguments))
    library = read_library(arguments.library)
    query = _query(host, arguments)
    with common.progress(arguments.quiet) as progress:
        found = _find_stretches(host, library, query, arguments, progress, arguments.mirror)
    contents: dict[Path, bytes] = {}
    if report is not None:
        rows = [_as_report(one) for one in found]
        of = {"clip": arguments.clip, "first": query.first, "last": query.last}
        about = {"verb": "library search", "library": arguments.library, "query": of, "part": arguments.part}
        contents[report] = outputs.as_json(about | {"found": rows})
    if picture is not None:
        contents[picture] = _draw_finds(query.stretch, stretches.clips(found), map(_line, found))
    if arguments.extract is not None:
        contents |= _extract_files(found, Path(arguments.extract), arguments.force)
    outputs.write(contents, arguments.force)
    if not arguments.quiet:
        print("\n".join(_line(one) for one in found) or "nothing is like it")


def _similar(host: Host, arguments: argparse.Namespace) -> None:
    workers.check(host, arguments)
    report, picture = common.check_outputs(host, arguments, _inputs_of(arguments))
    library = read_library(arguments.library)
    fits = _fitting(arguments.like)
    given = [clip for clip in library.clips if fits(clip)]
    takes = copies.drop_copies(library, given)
    with common.progress(arguments.quiet) as progress:
        found = similarity.similar(
            library,
            others=set(takes).__contains__,
            farthest=arguments.farthest,
            least=arguments.least,
            attempts=workers.attempts(host, arguments),
            progress=progress,
        )
    about = {
        "library": arguments.library,
        "windows": found.windows,
        "coverage": round(found.coverage, 4),
        "copies": len(given) - len(takes),
        "clusters": [_cluster_report(cluster) for cluster in found.clusters],
        "pairs": [
            {
                "one": _stretch_report(pair.one),
                "other": _stretch_report(pair.other),
                "distance": round(pair.distance, 5),
            }
            for pair in found.pairs
        ],
    }
    shown = found.clusters[: arguments.most]
    if picture is not None:
        typical = [Found(c.typical.entry, c.typical.first, c.typical.last, 0.0) for c in shown]
        outputs.write(
            {picture: _draw_finds(None, stretches.clips(typical), map(_cluster_line, shown))}, arguments.force
        )
    _write_report(report, arguments, about)
    if arguments.quiet:
        return
    if left := len(given) - len(takes):
        print(f"{left} file{'s' * (left > 1)} left out: others hold the same take")
    print(f"{len(found.pairs)} pairs of stretches that are alike")
    share = f"{100.0 * found.coverage:.0f} % of {found.windows} windows of a second"
    print(f"{len(found.clusters)} clusters with {share}")
    for cluster in shown:
        print(f"  {_cluster_line(cluster)}")


def _cluster_line(cluster: Cluster) -> str:
    first, last = cluster.typical.frames
    words = " ".join(cluster.words) or "–"
    typical = f"{cluster.typical.entry.name}[{first}:{last}]"
    count = len(cluster.stretches)
    return f"{words}: {count} stretch{'es' if count > 1 else ''}, {cluster.seconds:.1f} s, such as {typical}"


def _cluster_report(cluster: Cluster) -> dict[str, Any]:
    about = {"words": list(cluster.words), "seconds": round(cluster.seconds, 2), "windows": cluster.windows}
    members = [_stretch_report(stretch) for stretch in cluster.stretches]
    return about | {"typical": _stretch_report(cluster.typical), "stretches": members}


def _stretch_report(stretch: Stretch) -> dict[str, Any]:
    first, last = stretch.frames
    return {"clip": stretch.entry.path, "first": first, "last": last}


def _query(host: Host, arguments: argparse.Namespace) -> Query:
    """Read the query: a stretch of a clip."""
    whole = cuts.split(arguments.clip).clip
    sources = host.read([whole], common.settings(host.reading, arguments))
    clip = sources.clips[0]
    begin = round(sources.facts().get("first_frame", 0))  # frames of an action count as on the timeline
    start, end = cuts.frames(arguments.clip, clip, begin)
    return Query(clip, start, end, asking.rows(clip, start, end))


def _find_stretches(
    host: Host,
    library: Library,
    query: Query,
    arguments: argparse.Namespace,
    progress: Progress,
    mirror: bool = False,
) -> list[Found]:
    """Return the stretches similar to the query, and optionally to its mirror image, best first."""
    if arguments.most < 1:
        raise OptionError(f"--most is {arguments.most}, but must be at least 1")
    fits, own = _fitting(arguments.like), _own(host, arguments.clip) if arguments.others else ""
    itself = [clip for clip in library.clips if own and clip.digest == own]
    clips = tuple(
        clip
        for clip in library.clips
        if fits(clip) and clip not in itself and not any(copies.same_take(library, one, clip) for one in itself)
    )
    return searching.like(
        Searched(library, clips),
        query.asked,
        mirror=mirror,
        part=arguments.part,
        most=arguments.most,
        progress=progress,
    )


def _own(host: Host, clip: str) -> str:
    """Return the digest of the query's own file, or ""."""
    file = host.file_of(clip)
    return "" if file is None else index.digest(file)


def _fitting(words: str | None) -> Callable[[Entry], bool]:
    return (lambda _: True) if words is None else text.matching_words(words)


def _line(found: Found) -> str:
    first, last = found.frames
    mirrored = "  in a mirror" if found.mirrored else ""
    count = len(found.copies)
    others = f"  and {count} cop{'ies' if count > 1 else 'y'}" if count else ""
    return f"{found.distance:.3f}  {found.entry.name}[{first}:{last}]{mirrored}{others}  {found.entry.label}".rstrip()


def _as_report(found: Found) -> dict[str, Any]:
    about = {"rate": found.entry.rate, "label": found.entry.label, "copies": [entry.path for entry in found.copies]}
    return _stretch_report(found) | about | {"distance": round(found.distance, 5), "mirrored": found.mirrored}


def _draw_finds(query: Clip | None, clips: Sequence[Clip], lines: Iterable[str]) -> bytes:
    from ..plots import finds, png  # matplotlib is loaded for pictures only

    return png.as_png(finds.draw(query, list(zip(clips, lines, strict=True))))


def _extract_files(found: Sequence[Found], folder: Path, force: bool) -> dict[Path, bytes]:
    """Return the contents of a motion file for each stretch, if possible in the units and layout of its own file."""
    contents = {}
    for number, one in enumerate(found, 1):
        file = stretches.read(one.entry)
        clip = stretches.cut(file.clip, *one.frames, mirrored=one.mirrored)
        path = folder / f"{number:02d} {clip.name}{registry.DEFAULT}"
        contents[path] = motion_file.compose(clip, path, file, file.convention)
    outputs.check(list(contents), force, {folder}, [one.entry.path for one in found])
    return contents


def _graph(host: Host, arguments: argparse.Namespace) -> None:
    if arguments.clip is None and arguments.like is None:
        raise OptionError("name a stretch to search for, or words with --like")
    output = Path(arguments.output)
    report = None if arguments.report is None else Path(arguments.report)
    if output.suffix.lower() != artefacts.SUFFIX:
        raise OptionError(f"-o is {arguments.output!r}, but graphs are kept as {artefacts.SUFFIX}")
    outputs.check([output, report], arguments.force, inputs=_inputs_of(arguments))
    recipe = BuildGraph(**common.read_flags(readable(BuildGraph), arguments))
    library = read_library(arguments.library)
    with common.progress(arguments.quiet) as progress:
        if arguments.clip is None:
            fits = _fitting(arguments.like)
            found = [Found(c, 0, c.rows - 1, 0.0) for c in in_order(library.clips) if fits(c)][: arguments.most]
        else:
            query = _query(host, arguments)
            found = stretches.join_stretches(
                _find_stretches(host, library, query, arguments, progress.part(0.0, 0.1)), arguments.margin
            )
        if not found:
            raise LibraryError(f"The library {arguments.library} has nothing of the kind: use other words")
        graph = verbs.apply(recipe, stretches.clips(found), progress.part(0.1, 1.0))
    made = replace(graph, name=output.stem, report=graph.report | {"inputs": [one.entry.path for one in found]})
    contents = {output: artefacts.made_by(recipe).compose(made)}  # type: ignore[union-attr]
    if report is not None:
        contents[report] = outputs.as_json(made.report)
    outputs.write(contents, arguments.force)
    if not arguments.quiet:
        print("\n".join(summary.graph_lines(made)))
