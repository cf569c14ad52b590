"""A second reader of BVH files, independent of the tested one: it reads word by word."""

import re

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class NotBvhError(ValueError):
    """This reader does not accept the text as BVH."""


def read(data: bytes) -> dict:
    """Return names, parents, offsets, channels, frame_time and rows of values of a file's bytes; raises NotBvhError."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    text = text if "\n" in text else text.replace("\r", "\n")
    found = re.search(r"^[ \t]*MOTION[ \t\r]*$", text, re.MULTILINE | re.IGNORECASE)
    if not found:
        raise NotBvhError("no MOTION")
    made = _hierarchy(text[: found.start()])
    words = re.findall(r"[^ \t\n\r\v\f]+", text[found.end() :])
    if [w.lower() for w in words[:1]] != ["frames:"] and words[:1] != ["Frames"]:
        raise NotBvhError("no Frames")
    body = re.match(
        r"\s*Frames\s*:\s*(\d+)\s*Frame\s+Time\s*:\s*(\S+)(.*)", text[found.end() :], re.IGNORECASE | re.DOTALL
    )
    if not body or not NUMBER.fullmatch(body.group(2)):
        raise NotBvhError("no frame time")
    values = re.findall(r"[^ \t\n\r\v\f]+", body.group(3))
    width = sum(len(channels) for channels in made["channels"])
    stated = int(body.group(1))  # some programs count one frame too few
    if len(values) not in (stated * width, (stated + 1) * width) or not all(NUMBER.fullmatch(word) for word in values):
        raise NotBvhError("values do not fit")
    numbers = [float(word) for word in values]
    made["frame_time"] = float(body.group(2))
    made["rows"] = [numbers[k : k + width] for k in range(0, len(numbers), width)] if width else []
    return made


def _hierarchy(text: str) -> dict:
    made: dict = {"names": [], "parents": [], "offsets": [], "channels": []}
    tokens = [(line, word) for line, part in enumerate(text.split("\n")) for word in _words(part)]
    if not tokens or tokens[0][1].upper() != "HIERARCHY":
        raise NotBvhError("no HIERARCHY")
    at, stack = 1, []

    def numbers(count: int) -> list[float]:
        nonlocal at
        words = [word for _, word in tokens[at : at + count]]
        if len(words) < count or not all(NUMBER.fullmatch(word) for word in words):
            raise NotBvhError("no numbers")
        at += count
        return [float(word) for word in words]

    while at < len(tokens):
        line, word = tokens[at]
        at += 1
        kind = word.upper()
        if kind in ("ROOT", "JOINT"):
            name = []
            while at < len(tokens) and tokens[at][1] != "{" and tokens[at][0] == line:
                name.append(tokens[at][1])
                at += 1
            made["names"].append(" ".join(name))
            made["parents"].append(stack[-1] if stack else -1)
            made["offsets"].append([0.0, 0.0, 0.0])
            made["channels"].append([])
            stack.append(len(made["names"]) - 1)
            at += 1  # {
        elif kind == "END":
            while at < len(tokens) and tokens[at][1] != "{":  # Site, or any other word
                at += 1
            at += 2  # { OFFSET
            numbers(3)
            at += 1  # }
        elif kind == "OFFSET" and stack:
            made["offsets"][stack[-1]] = numbers(3)
        elif kind == "CHANNELS" and stack:
            count = int(numbers(1)[0])
            made["channels"][stack[-1]] = [word for _, word in tokens[at : at + count]]
            at += count
        elif kind == "}" and stack:
            stack.pop()
        else:
            raise NotBvhError(f"{word!r} is out of place")
    if stack:
        raise NotBvhError("a joint is open")
    return made


def _words(line: str) -> list[str]:
    return re.findall(r"[{}]|[^ \t\r\v\f{}]+", line)
