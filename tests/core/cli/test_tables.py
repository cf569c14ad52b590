"""Rows of numbers in files, as a command line or a job file names them."""

import pytest
from action_loom.core.cli import tables
from action_loom.core.errors import LoomError


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("0,0\n1,2\n", [[0, 0], [1, 2]]),
        ("x;y;z\n0;0;1\n\n# a word\n1;2;1\n", [[0, 0, 1], [1, 2, 1]]),
        ("\ufeff0 0\n1.5\t-2e-1\n", [[0, 0], [1.5, -0.2]]),
    ],
)
def test_rows_in_files(tmp_path, text, rows):
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    assert tables.read_rows(str(tmp_path / "p.csv")) == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,0\n1,two\n", "p.csv, line 2: expected numbers, found '1,two'"),
        ("0,0\n1\n", "p.csv, line 2: expected x and y, found '1'"),
        ("0,0\n1,nan\n", "p.csv, line 2: expected x and y"),
        ("0,0\nx,y\n", "p.csv, line 2: expected numbers"),
        ("", "p.csv: there are no numbers in it"),
        ("x,y\n", "p.csv: there are no numbers in it"),
        ("0,0\n1,2,3\n", "p.csv, line 2: 3 numbers, where the rows before have 2"),
        ("0,5;1,5\n", "p.csv, line 1: write numbers with a point, 0.5; found '0,5;1,5'"),
    ],
)
def test_what_is_no_row_is_told_with_its_line(tmp_path, text, message):
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    with pytest.raises(LoomError, match=message):
        tables.read_rows(str(tmp_path / "p.csv"))
    with pytest.raises(LoomError, match="can't be read"):
        tables.read_rows(str(tmp_path / "absent.csv"))


def test_what_is_no_text_is_told(tmp_path):
    (tmp_path / "p.csv").write_bytes(b"0,0\n\xff\n")
    with pytest.raises(LoomError, match="p.csv: this is not UTF-8 text"):
        tables.read_rows(str(tmp_path / "p.csv"))


@pytest.mark.parametrize(
    ("text", "is_table"),
    [
        ("0 0; 0 5", True),
        ("0 0;0 5;", True),
        ("-1e-3 .5", True),
        ("", True),
        ("p.csv", False),
        ("0 0; 0 x", False),
        ("drawn paths/5", False),
    ],
)
def test_rows_are_told_from_the_name_of_a_file(text, is_table):
    assert tables.is_table(text) == is_table
