"""Places of the joints of a person of 1.7 m who faces -Y; the left is at +X."""

from mathutils import Matrix, Vector

SIDES = (("l", 1.0), ("r", -1.0))

MIDDLE = {
    "ground": (0.0, 0.0, 0.0),
    "pelvis": (0.0, 0.0, 0.96),
    "spine_1": (0.0, 0.005, 1.04),
    "spine_2": (0.0, 0.012, 1.15),
    "spine_3": (0.0, 0.018, 1.27),
    "neck": (0.0, 0.02, 1.43),
    "head": (0.0, 0.0, 1.51),
    "top": (0.0, 0.0, 1.70),
}
LEFT = {
    "clavicle": (0.02, 0.0, 1.39),
    "shoulder": (0.17, 0.02, 1.40),
    "elbow": (0.44, 0.04, 1.395),
    "wrist": (0.69, 0.015, 1.39),
    "knuckle": (0.78, 0.01, 1.385),
    "finger": (0.82, 0.005, 1.38),
    "fingertip": (0.85, 0.0, 1.37),
    "hip": (0.09, 0.0, 0.91),
    "knee": (0.095, -0.02, 0.50),
    "ankle": (0.095, 0.03, 0.09),
    "ball": (0.10, -0.10, 0.02),
    "toe": (0.10, -0.18, 0.02),
    "heel": (0.095, 0.08, 0.0),
}
ARM = ("elbow", "wrist", "knuckle", "finger", "fingertip")


class Human:
    """Joints by name: `at("knee", "l")`, with arms lowered by an angle in radians, scaled to a height."""

    def __init__(self, arms_down=0.0, height=1.7):
        self.places = {(name, ""): Vector(place) for name, place in MIDDLE.items()}
        shoulder = Vector(LEFT["shoulder"])
        turn = Matrix.Rotation(arms_down, 3, "Y")
        for name, given in LEFT.items():
            left = shoulder + turn @ (Vector(given) - shoulder) if name in ARM else Vector(given)
            self.places[name, "l"] = left
            self.places[name, "r"] = Vector((-left.x, left.y, left.z))
        for key in self.places:
            self.places[key] = self.places[key] * (height / 1.7)

    def at(self, name, side=""):
        return self.places[name, side].copy()

    def line(self, names, side=""):
        """Return the places of several joints."""
        return [self.at(name, side) for name in names]

    def middle(self, first, second, side="", part=0.5):
        """Return a place between two joints."""
        return self.at(first, side).lerp(self.at(second, side), part)

    def knee_pole(self, side, distance=0.5):
        return self.at("knee", side) + Vector((0.0, -distance, 0.0))

    def elbow_pole(self, side, distance=0.5):
        return self.at("elbow", side) + Vector((0.0, distance, 0.0))
