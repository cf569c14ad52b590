"""Weights as text: in either form, by names or numbers, and refusals."""

import numpy as np
import pytest
from action_loom.core.errors import MotionFileError
from action_loom.core.formats import weights

NAMES = ("Hips", "Bip01 L Thigh", "7")


@pytest.fixture
def read(tmp_path):
    def of(text, vertices=3, names=NAMES, **how):
        path = tmp_path / "weights.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        found = weights.read(path, names, vertices, **how)
        return found.first.tolist(), found.joints.tolist(), found.weights.tolist()

    return of


def test_a_line_is_a_vertex_a_joint_and_a_weight(read):
    text = "# ours\nvertex joint weight\n\n3 Hips .5\n1 Bip01 L  Thigh 1 # all\n3 1 0.25\n2 0 0\n3 7 1e0\n"
    assert read(text) == ([0, 1, 1, 4], [1, 0, 1, 2], [1.0, 0.5, 0.25, 1.0])


@pytest.mark.parametrize("parted", ["{0},{1},{2}\r\n", "{0}\t{1}\t{2}\r", "{0}; {1}; {2}\n", " {0} {1} {2} \n"])
def test_words_may_be_parted_in_other_ways(read, parted):
    text = "".join(parted.format(*row) for row in ((1, "Hips", 0.5), (2, "Bip01 L Thigh", 1)))
    assert read(text) == ([0, 1, 2, 2], [0, 1], [0.5, 1.0])


def test_a_name_comes_before_a_number(read):
    assert read("1 7 1\n")[1] == [2]
    assert read("1 2 1\n")[1] == [2]


def test_names_may_be_in_any_encoding(read):
    assert read("1 腰 1\n".encode("cp932"), names=("脚", "腰"))[1] == [1]


def test_a_matrix_has_a_line_for_each_vertex_and_a_number_for_each_joint(read):
    assert read("0 .5 .5\n1,0,0\n\n0 0 0\n", matrix=True) == ([0, 2, 3, 3], [1, 2, 0], [0.5, 0.5, 1.0])


def test_sums_are_those_as_written(tmp_path):
    path = tmp_path / "w.txt"
    path.write_text("1 0 2\n1 1 3\n")
    assert np.array_equal(weights.read(path, NAMES, 2).totals, [5.0, 0.0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("# none\n", "expected VERTEX JOINT WEIGHT; the file ends"),
        ("vertex joint weight\n", "expected VERTEX JOINT WEIGHT; the file ends"),
        ("1 Hips\n", "line 1: expected VERTEX JOINT WEIGHT, found '1 Hips'"),
        ("1 Hips 1\nvertex joint weight\n", "line 2: vertex is 'vertex', but must lie between 1 and 3"),
        ("0 Hips 1\n", "line 1: vertex is '0', but must lie between 1 and 3"),
        ("\n4 Hips 1\n", "line 2: vertex is '4', but must lie between 1 and 3"),
        ("-1 Hips 1\n", "line 1: vertex is '-1'"),
        ("1 hips 1\n", "line 1: there is no joint 'hips'; there are 'Hips', 'Bip01 L Thigh', '7'"),
        ("1 3 1\n", "line 1: joint is 3, but must lie between 0 and 2"),
        ("1 Hips -1\n", "line 1: weight is '-1', but must lie between 0"),
        ("1 Hips nan\n", "line 1: weight is 'nan'"),
        ("1 Hips 1e999\n", "line 1: weight is '1e999'"),
        ("1 Hips 1\n2 Hips 1\n1 0 0\n", "line 3: vertex 1 has a weight for joint 'Hips' on line 1 already"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(read, text, words):
    with pytest.raises(MotionFileError, match=rf"weights\.txt(, |: ){words}"):
        read(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 0\n", "line 1: there are 2 values, but 3 are needed"),
        ("1 0 0\n1 0 0\n", "line 2: there are 2 lines, but the mesh has 3 vertices"),
        ("1 0 0\n" * 4, "line 4: there are 4 lines, but the mesh has 3 vertices"),
        ("1 0 x\n", "line 1: weight is 'x'"),
        ("# none\n", "there are 0 lines"),
    ],
)
def test_a_matrix_of_another_shape_is_refused(read, text, words):
    with pytest.raises(MotionFileError, match=rf"weights\.txt(, |: ){words}"):
        read(text, matrix=True)
