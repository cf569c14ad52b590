"""Random bones, and surfaces attached to them."""

import numpy as np
from action_loom.core.motion import quat
from action_loom.core.skin.skin import skin


def matrices(count, seed=0, scale=(1.0, 1.0)):
    """Matrices (B, 4, 4) of bones, each turned and somewhere; scaled by between these."""
    rng = np.random.default_rng(seed)
    made = np.tile(np.eye(4), (count, 1, 1))
    made[:, :3, :3] = quat.to_matrix(quat.normalize(rng.normal(size=(count, 4))))
    made[:, :3, 3] = rng.normal(size=(count, 3))
    made[:, :3, :3] *= rng.uniform(*scale, size=(count, 1, 3))
    return made


def random_skin(vertices=300, bones=12, most=6, seed=1):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(vertices):
        chosen = rng.permutation(bones)[: rng.integers(0, most + 1)]
        rows.append([(int(bone), float(rng.uniform(0.05, 2.0))) for bone in chosen])
    faces = [rng.permutation(vertices)[:3].tolist() for _ in range(2 * vertices)]
    return skin(rng.normal(size=(vertices, 3)), rows, faces, quat.rotate(_turns(rng, vertices), np.eye(3)[2]))


def _turns(rng, count):
    return quat.normalize(rng.normal(size=(count, 4)))
