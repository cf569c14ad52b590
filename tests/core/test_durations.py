"""Every slow test of the record exists, and so does every test of an element of the source documents."""

from pathlib import Path

from oracles import durations


def test_every_slow_test_that_is_recorded_exists():
    """Rename or remove it in tests/durations.json, too, or write the file: `make test ALL=1 RECORD=1`."""
    assert [durations.gone(group) for group in durations.FOLDERS] == [[], []]


def test_every_test_that_shows_an_element_of_the_source_documents_exists():
    tests = Path(__file__).resolve().parents[1]
    lines = (tests.parent / "tools" / "sources.txt").read_text(encoding="utf-8").splitlines()
    named = [line.split("|")[1].strip().split("::") for line in lines if "::" in line]
    assert len(named) > 80
    assert [name for name in named if f"def {name[1]}(" not in (tests / f"{name[0]}.py").read_text("utf-8")] == []
