"""Readers of points: every format gives the same points, bad files one sentence, and pickles are never opened."""

import io
import json
import zipfile

import numpy as np
import pytest
from action_loom.core.errors import LoomError, MotionFileError, OptionError
from action_loom.core.points import labels, orders, people, read
from action_loom.core.points.readers import c3d
from oracles import points_files
from oracles.points_files import RATE

LABELS = orders.ORDERS["mediapipe"]


@pytest.fixture
def places():
    """Places (F, P, 3) in metres; two points are missing in some frames."""
    values = np.random.default_rng(1).uniform(-2.0, 2.0, (12, len(LABELS), 3)).round(4)
    values[3:5, 7] = np.nan
    values[0, 20] = np.nan
    return values


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", points_files.FORMATS)
def test_every_format_gives_the_same_points(tmp_path, places, kind):
    (one,) = read.people(put(tmp_path, f"one.{kind}", points_files.FORMATS[kind](places, LABELS)))
    found, wanted = labels.find_points(one.labels), labels.find_points(LABELS)
    assert {name: one.labels[columns[0]].lower().removeprefix("body_") for name, columns in found.items()} == {
        name: LABELS[columns[0]] for name, columns in wanted.items()
    }
    for name, columns in wanted.items():
        np.testing.assert_allclose(one.positions[:, found[name][0]], places[:, columns[0]], atol=1e-4)
    assert kind == "npy" or one.rate == pytest.approx(RATE)


@pytest.mark.parametrize("processor", [84, 85, 86])
@pytest.mark.parametrize("scale", [-1.0, 1e-3])
def test_c3d_files_of_every_processor_have_the_same_numbers(tmp_path, places, processor, scale):
    content = points_files.as_c3d(places, LABELS, processor=processor, scale=scale)
    (one,) = read.people(put(tmp_path, "one.c3d", content))
    np.testing.assert_allclose(one.positions, places, atol=1e-3 if scale > 0 else 1e-6)
    assert (one.rate, one.metres, one.labels) == (RATE, 1.0, LABELS)


def test_the_numbers_of_a_vax_are_those_of_its_manual(tmp_path, places):
    """1.0 is stored as the bytes 80 40 00 00, and 50.0 as 48 43 00 00."""
    content = points_files.as_c3d(places, LABELS, processor=85)
    assert content[20:24] == bytes([0x48, 0x43, 0, 0])
    assert c3d._floats(bytes([0x80, 0x40, 0, 0]), 85)[0] == 1.0


def test_an_order_may_be_a_file(tmp_path, places):
    names = put(tmp_path, "names.txt", "\n".join(reversed(LABELS)).encode())
    (one,) = read.people(put(tmp_path, "one.npy", points_files.as_npy(places)), str(names))
    assert one.labels == tuple(reversed(LABELS))
    with pytest.raises(MotionFileError, match="it has 33 points, but the order has 17"):
        read.people(tmp_path / "one.npy", "coco")
    with pytest.raises(OptionError, match="must be auto, mediapipe"):
        read.people(tmp_path / "one.npy", "nothing")


def test_two_orders_of_17_points_are_told_apart_by_their_limbs(tmp_path):
    bodies = np.random.default_rng(2).uniform(-1, 1, (17, 3))
    for order in ("h36m", "coco"):
        mean = {name: k for k, name in enumerate(orders.ORDERS[order])}
        body = bodies.copy()
        for name, k in mean.items():  # both sides alike, as of a person
            if name.startswith("left_"):
                body[k] = body[mean["right_" + name[5:]]] * [-1, 1, 1]
        values = body + 0.01 * np.random.default_rng(3).normal(size=(30, 17, 3))
        (one,) = read.people(put(tmp_path, f"{order}.npy", points_files.as_npy(values)))
        assert one.labels == orders.ORDERS[order]
    with pytest.raises(MotionFileError, match="may be h36m or coco: choose"):
        read.people(put(tmp_path, "noise.npy", points_files.as_npy(np.random.default_rng(4).normal(size=(30, 17, 3)))))


def test_openpose_people_have_a_file_for_each_frame(tmp_path):
    body = np.random.default_rng(5).uniform(0.5, 1, (9, 25, 4))
    for frame in range(9):
        rows = [
            {"person_id": [-1], "pose_keypoints_3d": (body[frame] + [shift, 0, 0, 0]).ravel().tolist()}
            for shift in (0, 5)
        ]
        put(tmp_path, f"walk_{frame:012d}_keypoints.json", json.dumps({"people": rows}).encode())
    both = read.people(tmp_path / f"walk_{4:012d}_keypoints.json")
    assert [one.person for one in both] == ["0", "1"]
    np.testing.assert_allclose(both[1].positions, body[..., :3] + [5, 0, 0], atol=1e-9)


def test_long_tables_have_a_row_for_each_point(tmp_path, places):
    """As FreeMoCap 1.8 and 2 write them: hands and solved points beside the measured ones, cameras' times in quotes."""
    lines = ["frame,timestamp,timestamp_by_camera,model,keypoint,x,y,z,trajectory"]
    for frame, row in enumerate(places):
        start = f'{frame + 3},{frame / RATE:.4f},"{{0: 1.5, 1: 2.5}}"'
        if frame == 6:
            continue
        for name, place in zip(LABELS, row, strict=True):
            numbers = ",".join("" if np.isnan(value) else f"{value:.4f}" for value in place)
            lines += [f"{start},mediapipe.body,{name},{numbers},3d_xyz"]
            lines += [f"{start},mediapipe.body,{name},9,9,9,rigid_3d_xyz"]
        lines.append(f"{start},mediapipe.left_hand,nose,7,7,7,3d_xyz")
    (one,) = read.people(put(tmp_path, "by_frame.csv", "\n".join(lines).encode()))
    wanted = places.copy()
    wanted[6] = np.nan  # a frame without rows is a gap
    assert one.labels == LABELS
    np.testing.assert_allclose(one.positions, wanted, atol=1e-6)


@pytest.mark.parametrize(("count", "order"), [(553, "mediapipe"), (137, "body_25"), (133, "coco"), (136, "halpe")])
def test_arrays_of_whole_people_begin_with_the_body(tmp_path, count, order):
    values = np.random.default_rng(6).uniform(-1, 1, (9, count, 3))
    (one,) = read.people(put(tmp_path, "skeleton_3d.npy", points_files.as_npy(values)))
    assert one.labels[: len(orders.ORDERS[order])] == orders.ORDERS[order]
    assert set(labels.find_points(one.labels)) == set(labels.find_points(orders.ORDERS[order]))


@pytest.mark.parametrize("kind", ["files", "keys", "numbers", "trc"])
def test_missing_frames_are_gaps(tmp_path, places, kind):
    """Otherwise the motion would jump there; frames counted in twos have none."""
    kept = [0, 1, 2, 5, 6, 11]
    frames = {2 * k + 4: dict(zip(LABELS, np.nan_to_num(places[k], nan=0.0).tolist(), strict=True)) for k in kept}
    wanted = np.full_like(places, np.nan)
    wanted[kept] = places[kept]
    if kind == "trc":
        content = points_files.as_trc(places, LABELS).split(b"\n")
        path = put(tmp_path, "one.trc", b"\n".join([*content[:5], *(content[5 + k] for k in kept)]))
    elif kind == "files":
        for number, frame in frames.items():
            path = put(tmp_path, f"take_{number:06d}.json", json.dumps(frame).encode())
    elif kind == "keys":
        path = put(tmp_path, "one.json", json.dumps({str(number): frame for number, frame in frames.items()}).encode())
    else:
        rows = [{"frameNum": number, "keypoints3D": frame} for number, frame in frames.items()]
        path = put(tmp_path, "one.json", json.dumps({"frames": rows}).encode())
    (one,) = read.people(path)
    np.testing.assert_allclose(one.positions, wanted, atol=1e-6)


def test_a_table_of_opensim_that_states_no_rate_has_times(tmp_path, places):
    content = points_files.as_trc(places, LABELS).replace(f"{RATE}\t{RATE}".encode(), b"0\t0")
    (one,) = read.people(put(tmp_path, "moco.trc", content))
    assert one.rate == pytest.approx(RATE)


def test_two_people_whom_a_tracker_exchanges_are_followed():
    def at(x):
        return {"left_hip": (x, 0.0, 0.0, 1.0), "right_hip": (x + 0.2, 0.0, 0.0, 1.0)}

    rows = [[("a", at(0.1 * k)), ("b", at(4.0 - 0.1 * k))] for k in range(10)]
    rows += [[("a", at(4.0 - 0.1 * k)), ("b", at(0.1 * k))] for k in range(10, 18)]
    (a, b) = people.follow(rows)
    assert [frame["left_hip"][0] for frame in a[1]] == pytest.approx([0.1 * k for k in range(18)])
    assert [frame["left_hip"][0] for frame in b[1]] == pytest.approx([4.0 - 0.1 * k for k in range(18)])
    assert a[2] == ("two people exchanged places at frame 10: set right",)


def test_a_pickle_is_never_opened(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("it was opened",))

    stream = io.BytesIO()
    np.save(stream, np.array([Bomb()], dtype=object), allow_pickle=True)
    path = put(tmp_path, "bomb.npy", stream.getvalue())
    with pytest.raises(MotionFileError, match="Python objects"):
        read.people(path)
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w") as archive:
        archive.writestr("motion.npy", stream.getvalue())
    with pytest.raises(MotionFileError, match="Python objects"):
        read.people(tmp_path / "bomb.npz")


def test_a_declared_size_is_checked_before_it_is_made(tmp_path, places):
    content = points_files.as_npy(places).replace(b"(12, 33, 3)", b"(12000000, 33, 3)".ljust(11))[
        : len(points_files.as_npy(places))
    ]
    with pytest.raises(MotionFileError):
        read.people(put(tmp_path, "big.npy", content))
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 33, 3)})
    with pytest.raises(MotionFileError, match="states 99,000,000,000 values"):
        read.people(put(tmp_path, "bigger.npy", stream.getvalue()))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.json", b"{", "this is no JSON text"),
        ("a.json", b"[" * 100_000, "this is no JSON text"),
        ("a.json", b'{"frames": []}', "it has no 3D keypoints"),
        ("a.json", json.dumps([[[1.0, 2.0, 3.0]] * 20] * 3).encode(), "it has 20 points without names"),
        ("a.npy", b"PK\x03\x04", "it is no NumPy array"),
        ("a.npy", points_files.as_npy(np.zeros((5, 4))), "must be frames × points × 3 coordinates"),
        ("a.npz", b"nothing", "it is no NumPy array"),
        ("a.csv", b"x,y,z\n1,2,3\n", "name_x, name_y, name_z"),
        ("a.csv", b"hip_x,hip_y,hip_z\n1,2\n", "line 2: there are 2 values, but 3 are needed"),
        ("a.csv", b"frame,keypoint,x,y,z\n1,hip,1,2,3\nlast,hip,1,2,3\n", "line 3: value 1 is 'last'"),
        ("a.csv", b"frame,keypoint,x,y,z\n", "the file is empty"),
        ("a.csv", b"a,b,c,hip_x,hip_y,hip_z\n1,2,3,4,5,high\n", "line 2: value 6 is 'high'"),
        ("a.trc", b"nothing\n", "expected PathFileType"),
        ("a.trc", b"PathFileType\t4\nDataRate\tUnits\nfast\tm\nFrame#\tTime\thip\n\n", "DataRate: value 1 is 'fast'"),
        ("a.c3d", b"nothing", "this is no C3D file"),
        ("a.c3d", points_files.as_c3d(np.zeros((2, 33, 3)), LABELS)[:-100], "it states 2 frames, but has 1"),
        ("a.c3d", points_files.as_c3d(np.zeros((2, 33, 3)), LABELS, processor=87), "this is no C3D file"),
        ("a.c3d", points_files.as_c3d(np.ones((2, 4, 3)), names=("A", "B", "C", "D")), "of no known marker set"),
        ("a.xyz", b"", "does not end like a points file"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path, name, content, sentence):
    with pytest.raises(LoomError, match=sentence) as caught:
        read.people(put(tmp_path, name, content))
    assert "\n" not in str(caught.value)


def test_sides_of_labels_need_a_separator_or_a_capital():
    found = labels.find_points(["Rib", "Lumbar", "LHip", "r_knee", "Knee.L", "Right Elbow", "wrist_left"])
    assert sorted(found) == ["elbow.R", "hip.L", "knee.L", "knee.R", "wrist.L"]


def test_centres_of_a_marker_set_lie_within_the_body(tmp_path):
    height = {
        "IAS": 1.0,
        "IPS": 1.0,
        "FLE": 0.5,
        "FME": 0.5,
        "FAL": 0.1,
        "TAM": 0.1,
        "FCC": 0.05,
        "FM1": 0.05,
        "FM5": 0.05,
    }
    height |= {"ACR": 1.45, "HLE": 1.2, "HME": 1.2, "RSP": 0.95, "USP": 0.95}
    front = {"IAS": 0.1, "IPS": -0.08, "FM1": 0.2, "FM5": 0.18, "FCC": -0.05}
    side = {"FLE": 0.15, "FME": 0.05, "ACR": 0.2, "HLE": 0.25, "HME": 0.2, "RSP": 0.3, "USP": 0.25}
    names = [f"{letter}_{name}" for name in height for letter in "LR"]
    row = [[(1 if n[0] == "R" else -1) * side.get(n[2:], 0.12), front.get(n[2:], 0.0), height[n[2:]]] for n in names]
    (one,) = read.people(put(tmp_path, "isb.c3d", points_files.as_c3d(np.repeat([row], 9, axis=0), names=tuple(names))))
    place = dict(zip(one.labels, one.positions[0], strict=True))
    np.testing.assert_allclose(place["knee.R"], [0.10, 0.0, 0.5], atol=1e-6)
    x, y, z = place["hip.R"]  # 24 cm between the spines: Bell's shares of it
    assert (x, y, z) == pytest.approx((0.36 * 0.24, 0.1 - 0.22 * 0.24, 1.0 - 0.30 * 0.24), abs=1e-6)
    assert place["hip.L"][0] == pytest.approx(-x)
