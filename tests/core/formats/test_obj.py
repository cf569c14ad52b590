"""OBJ meshes: reading, writing, and refusals."""

import numpy as np
import pytest
from action_loom.core.errors import MotionFileError
from action_loom.core.formats import obj

SQUARE = """# a square \\
mtllib its own.mtl
o Square
v 0 0 0 1 0 0
v 1 0 0
v 1 \\
  1 0   # above
vt 0.5 100%
vn 0 0 1
g front
usemtl wood
s off
f 1/1/1 2/1/1 3/1/1
v 0 1 0
f -4//1 -2//-1 -1//1
l 1 2
"""


@pytest.fixture
def read(tmp_path):
    def of(text):
        path = tmp_path / "mesh.obj"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return obj.read(path)

    return of


def written(mesh, places, normals):
    text = obj.ObjText(mesh, mesh.corner_normals, len(normals))
    return text.filled(np.asarray(places, np.float32), np.asarray(normals, np.float32)).decode("latin-1")


def test_a_mesh_is_read_as_it_is_written(read):
    mesh = read(SQUARE)
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert mesh.normals.tolist() == [[0, 0, 1]]
    assert mesh.corners.tolist() == [0, 1, 2, 0, 2, 3]
    assert mesh.begins.tolist() == [0, 3, 6]
    assert mesh.corner_normals.tolist() == [0] * 6
    assert mesh.libraries == ("its own.mtl",)


def test_all_but_places_and_normals_stays_as_it_was(read):
    mesh = read(SQUARE)
    lines = written(mesh, mesh.vertices + 0.25, [[0, 1, 0]]).splitlines()
    assert lines == [
        "# a square \\",
        "mtllib its own.mtl",
        "o Square",
        "v 0.25 0.25 0.25 1 0 0",
        "v 1.25 0.25 0.25",
        "v 1.25 1.25 0.25",
        "vt 0.5 100%",
        "g front",
        "usemtl wood",
        "s off",
        "vn 0 1 0",
        "f 1/1/1 2/1/1 3/1/1",
        "v 0.25 1.25 0.25",
        "f -4//1 -2//1 -1//1",
        "l 1 2",
    ]


def test_what_is_written_is_read_back(read):
    rng = np.random.default_rng(3)
    places = rng.normal(scale=100.0, size=(4, 3)).astype(np.float32)
    mesh = read(SQUARE)
    again = read(written(mesh, places, [[0, 1, 0]]))
    assert np.allclose(again.vertices, places, rtol=1e-6)
    assert again.corners.tolist() == mesh.corners.tolist()
    assert again.corner_normals.tolist() == mesh.corner_normals.tolist()
    assert written(again, places, [[0, 1, 0]]) == written(mesh, places, [[0, 1, 0]])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read(read, end):
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n"
    mesh = read(text.replace("\n", end))
    assert mesh.corners.tolist() == [0, 1, 2]
    assert mesh.corner_normals.tolist() == [-1, -1, -1]
    assert (b"\r\n" in obj.ObjText(mesh, mesh.corners, 3).filled(*2 * [np.eye(3, dtype=np.float32)])) == (end == "\r\n")


def test_names_in_any_encoding_stay_as_they_are(read):
    name = "usemtl 木\n".encode("cp932")
    mesh = read(b"v 0 0 0\n" + name)
    assert name in obj.ObjText(mesh, mesh.corners, 0).filled(np.zeros((1, 3), np.float32), np.zeros((0, 3), np.float32))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("\0", "this is a binary file, not OBJ text"),
        ("o nothing\n", "there is no vertex"),
        ("v 1 2\n", "line 1: expected v X Y Z, found 'v 1 2'"),
        ("v 1 2 nan\n", "line 1: expected v X Y Z"),
        ("v 1 2 1_0\n", "line 1: expected v X Y Z"),
        ("v 1 2 1e300\n", "line 1: .* but must be a number up to"),
        ("v 0 0 0\nvn 1 2\n", "line 2: expected vn X Y Z"),
        ("v 0 0 0\nf 1 1\n", "line 2: expected f A B C, found 'f 1 1'"),
        ("v 0 0 0\nf 1 1 x\n", "line 2: expected .*, found 'x'"),
        ("v 0 0 0\nf 1 1 1.5\n", "line 2: expected .*, found '1.5'"),
        ("v 0 0 0\nf 1 1 1/1/1/1\n", "line 2: expected .*, found '1/1/1/1'"),
        ("v 0 0 0\nf 1 1 0\n", "line 2: a face names vertex 0, but the file has 1"),
        ("v 0 0 0\nf 1 1 -2\n", "line 2: a face names vertex -2, but the file has 1"),
        ("v 0 0 0\nf 1 1 1\nf 1 2 1\n", "line 3: a face names vertex 2, but the file has 1"),
        ("v 0 0 0\nf 1//1 1//1 1//1\n", "line 2: a face names normal 1, but the file has 0"),
    ],
)
def test_what_is_no_mesh_is_refused_with_its_line(read, text, words):
    with pytest.raises(MotionFileError, match=rf"mesh\.obj(, |: ){words}"):
        read(text)
