"""A short part of `make fuzz` with a fixed seed: a refusal takes one line, and two readers agree on a file."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")
FOLDER = Path(__file__).resolve().parents[2] / "tools" / "fuzz"


@pytest.fixture(scope="module")
def cases():
    sys.path.insert(0, str(FOLDER))
    try:
        return import_module("cases")
    finally:
        sys.path.remove(str(FOLDER))


# Cases of each kind; a walk along a path takes the time of a hundred files.
KINDS = ("files", "takes", "graphs", "styles", "tables", "recipes", "jobs", "meshes", "libraries", "points")
COUNTS = dict.fromkeys(KINDS, 90) | {"paths": 8, "limits": 8}
CONTAINERS = {"schemas": 40, "bombs": 50, "pipes": 80, "links": 50}


@pytest.mark.both_engines
@pytest.mark.parametrize("kind", COUNTS)
def test_damaged_input_is_refused_or_read_as_another_reader_reads_it(cases, tmp_path, kind):
    ended = [cases.run(kind, 7, number, tmp_path) for number in range(COUNTS[kind])]
    assert {"fine", "refused"} == set(ended)


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are a thing of Unix")
@pytest.mark.parametrize("kind", CONTAINERS)
def test_containers_of_strangers_are_refused(cases, tmp_path, kind):
    ended = {cases.run(kind, 7, number, tmp_path) for number in range(CONTAINERS[kind])}
    assert ended <= {"fine", "refused"}
