"""A language's texts, read from a PO file, and the translation of complete English sentences. Standard library only.

A key with fields, `{name} has no action`, is a template: it is matched against finished sentences, and the contents of
the fields are inserted in the translation. A field with alternatives, `{is|are}`, may be omitted there.
"""

import re
from collections import Counter
from functools import cached_property, lru_cache

_STRING = r'"((?:[^"\\]|\\.)*)"'
_ENTRY = re.compile(rf"^msgid ((?:{_STRING}\s*)+)^msgstr ((?:{_STRING}\s*)+)", re.MULTILINE)
_SHORT = re.compile(r'^msgid "(.+)"\nmsgstr "(.+)"$', re.MULTILINE)
_ESCAPES = {"n": "\n", "t": "\t"}
_FIELD = re.compile(r"\{([^{}]*)\}")
_WORD = re.compile(r"[^\W\d_]{2,}")
# Separators at which an unknown sentence may be split into known ones.
_JOINTS = ("; ", ". ", ": ", ", ", " and ", " or ")
_TAIL = re.compile(r"(?=[,;] )")  # start of the parts appended to a sentence one by one
# Fields with user-defined names; a field of any other name may contain translatable text.
_NAMES = re.compile(r"(name|path|file|folder|armature|action|bone|source|object|clip|label_of|word|words|text)\d*")
_COUNT, _NUMBER = re.compile(r"count\d*"), r"[\w,.]*"
_PLACE = re.compile(
    r"\S+( \S+)?|((?!: ).)*[/\\]((?!: ).)*|((?!: ).)*\.\w+(, line \d+)?"
)  # names, files and their lines
_DEPTH = 4  # nesting of sentences within fields of sentences
_MOST_PARTS = 6
_SHORT_TEMPLATE, _LONG_FIELD = 12, 6  # letters, words: a shorter template must not match longer fields
KEPT = 512  # cached translated sentences


def read_po(text: str) -> dict[str, str]:
    """Return the translations in a PO file by their English text, without empty and fuzzy ones."""
    _head, _, entries = text.partition("\n\n")
    if '\n"' not in entries and "#, fuzzy" not in entries:  # our own format, which takes a tenth of the time
        return {_plain(key): _plain(translated) for key, translated in _SHORT.findall(entries)}
    found = {}
    for block in entries.split("\n\n"):
        entry = _ENTRY.search(block)
        if entry is not None and "#, fuzzy" not in block:
            key, translated = ("".join(re.findall(_STRING, strings)) for strings in (entry[1], entry[3]))
            if key and translated:
                found[_plain(key)] = _plain(translated)
    return found


def _plain(string: str) -> str:
    """Return the text of a PO file string, without escapes."""
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), string) if "\\" in string else string


class Template:
    """A sentence with fields: extracts the field contents and inserts them in the translation."""

    def __init__(self, english: str, translated: str) -> None:
        parts = _FIELD.split(english)  # text, field, text, field, …, text
        self.texts, self.fields = parts[0::2], parts[1::2]
        self.translated = _FIELD.split(translated)
        self.letters = sum(map(len, self.texts))

    def words(self) -> list[str]:
        """Return the words in every sentence of the template: words that do not touch a field."""
        bare = "\0".join(self.texts)
        return [
            word[0]
            for word in _WORD.finditer(bare)
            if bare[word.start() - 1 : word.start()] != "\0" and bare[word.end() : word.end() + 1] != "\0"
        ]

    def pattern(self) -> re.Pattern[str]:
        """Return a regular expression for such sentences, with a group for each field; `re` caches it."""
        pattern = re.escape(self.texts[0])
        for k, (field, text) in enumerate(zip(self.fields, self.texts[1:], strict=True)):
            if "|" in field:
                group = "|".join(map(re.escape, sorted(field.split("|"), key=len, reverse=True)))
            elif k and not self.texts[k]:
                group = r"(?:[,;:.( ].*?)??"  # directly after another field: text appended to that one
            elif _COUNT.fullmatch(field):
                group = _NUMBER
            else:
                group = r"(?:(?!; ).)*?" if _NAMES.fullmatch(field) else ".*?"
            pattern += f"({group}){re.escape(text)}"
        return re.compile(pattern, re.DOTALL)

    def filled(self, values: dict[str, str]) -> str:
        """Return the translation with values in its fields."""
        return "".join(values[part] if k % 2 else part for k, part in enumerate(self.translated))


class Phrasebook:
    """A language's texts by their English (`plain`), and the translation of sentences made of them (`translated`)."""

    def __init__(self, messages: dict[str, str]) -> None:
        self.plain = messages  # templates as well: some tooltips show braces as such
        self.translated = lru_cache(KEPT)(self._sentence)
        self._translated = lru_cache(4 * KEPT)(self._translate_once)
        self._compiled: dict[Template, re.Pattern[str]] = {}

    @cached_property
    def _by_word(self) -> dict[str, list[Template]]:
        """The templates by one of their words that few others have; built for the first translated sentence."""
        templates = [Template(text, translated) for text, translated in self.plain.items() if "{" in text]
        words = {one: one.words() for one in templates}
        often = Counter(word for found in words.values() for word in set(found))
        by_word: dict[str, list[Template]] = {}
        for one, found in words.items():
            by_word.setdefault(min(found, key=lambda word: (often[word], -len(word)), default=""), []).append(one)
        return by_word

    def _sentence(self, text: str) -> str:
        """Translate a text; labels can begin with a capital that their sentence lacks."""
        return self._translated(text, _DEPTH) or self._translated(text[:1].lower() + text[1:], _DEPTH) or text

    def _translate_once(self, text: str, depth: int) -> str:
        """Translate a text, "" if no part of it is known."""
        if text in self.plain:
            return self.plain[text]
        if depth == 0 or not _WORD.search(text):
            return ""
        if text[:2] in (", ", "; "):
            return self._tail(text, depth)
        matches = self._matches(text)
        for template, values in matches:
            if not any(joint in value for value in values.values() for joint in _JOINTS[:3]):
                return self._fill_template(template, values, depth)
        # Otherwise it may be several sentences; this is tried before templates with sentences in their fields.
        by_parts = self._by_parts(text, depth)
        return by_parts or (self._fill_template(*matches[0], depth) if matches else "")

    def _matches(self, text: str) -> list[tuple[Template, dict[str, str]]]:
        """Return the templates that match a text, with the contents of their fields; longest first."""
        found = []
        candidates = [one for word in {"", *_WORD.findall(text)} for one in self._by_word.get(word, ())]
        for one in sorted(candidates, key=lambda one: -one.letters):
            if one not in self._compiled:
                self._compiled[one] = one.pattern()
            match = self._compiled[one].fullmatch(text)
            if match is not None and not self._is_of_chance(one, match.groups()):
                found.append((one, dict(zip(one.fields, match.groups(), strict=True))))
        return found

    def _fill_template(self, template: Template, values: dict[str, str], depth: int) -> str:
        translated = {
            name: value if _NAMES.fullmatch(name) else self._translated(value, depth - 1) or value
            for name, value in values.items()
        }
        return template.filled(translated)

    def _tail(self, text: str, depth: int) -> str:
        """Translate the parts appended to a sentence; a part may contain such a separator itself."""
        parts, translated, known, start = _TAIL.split(text)[1:], "", False, 0
        while start < len(parts):
            found = ""
            for end in range(start + 1, len(parts) + 1):
                part = "".join(parts[start:end])
                found = self.plain.get(part) or self._first(part, depth)
                if found:
                    break
            known |= bool(found)
            translated += found or parts[start]
            start = end if found else start + 1
        return translated if known else ""

    def _first(self, text: str, depth: int) -> str:
        matches = self._matches(text)
        return self._fill_template(*matches[0], depth) if matches else ""

    @staticmethod
    def _is_of_chance(template: Template, values: tuple[str, ...]) -> bool:
        return template.letters < _SHORT_TEMPLATE and any(len(value.split()) > _LONG_FIELD for value in values)

    def _by_parts(self, text: str, depth: int) -> str:
        """Translate a text whose parts are all known, except names and places; "" avoids partial translations."""
        for joint in _JOINTS:
            ends = [found.start() for found in re.finditer(re.escape(joint), text)][:_MOST_PARTS]
            if joint in ("; ", ", "):
                for end in ends:
                    head, tail = self._translated(text[:end], depth - 1), self._tail(text[end:], depth)
                    if head and tail:
                        return head + tail
            if joint == ": ":
                pairs = [[text[:end], text[end + 2 :]] for end in ends]
            else:
                pairs = [text.split(joint)] if ends else []
            translated = [(parts, [self._translated(part, depth - 1) for part in parts]) for parts in pairs]
            for parts, new in sorted(translated, key=lambda one: "" in one[1]):  # completely known ones first
                if new[-1] and all(one or _PLACE.fullmatch(old) for one, old in zip(new, parts, strict=True)):
                    between = self.plain.get(joint, joint)
                    return between.join(one or old for one, old in zip(new, parts, strict=True))
        return ""
