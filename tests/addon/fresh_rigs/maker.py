"""Build rigs in short calls: bones, constraints, drivers, custom properties, shapes, a body of boxes.

A `Maker` notes all bones first and makes them in one visit to Edit Mode. Lengths are metres; `size` scales the bones up
and the object down by the same factor, like exporters with other units.
"""

import bpy
from mathutils import Matrix, Vector

UP, FRONT = Vector((0.0, 0.0, 1.0)), Vector((0.0, -1.0, 0.0))


class Maker:
    """Makes one armature object in the scene."""

    def __init__(self, name, size=1.0):
        self.rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
        self.rig.scale = (1.0 / size,) * 3
        self.size = size
        self.noted = []
        bpy.context.scene.collection.objects.link(self.rig)

    # --- bones --------------------------------------------------------------------------------------------------------

    def bone(self, name, head, tail, parent="", *, deform=False, up=None, inherit=True):
        """Note a bone and return its name; `up` is the direction of its Z axis at rest."""
        self.noted.append((name, Vector(head), Vector(tail), parent, deform, up, inherit))
        return name

    def stub(self, name, head, parent="", *, along=UP, length=0.06, **settings):
        """Note a bone of which only the place matters, like a handle or a pivot."""
        return self.bone(name, head, Vector(head) + Vector(along) * length, parent, **settings)

    def chain(self, names, points, parent="", **settings):
        """Note a chain of bones from point to point. Returns their names."""
        for name, head, tail in zip(names, points, points[1:], strict=False):
            parent = self.bone(name, head, tail, parent, **settings)
        return list(names)

    def make(self):
        """Make the noted bones."""
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="EDIT")
        edit = self.rig.data.edit_bones
        for name, head, tail, parent, deform, up, inherit in self.noted:
            bone = edit.new(name)
            bone.head, bone.tail = head * self.size, tail * self.size
            along = (tail - head).normalized()
            bone.align_roll(Vector(up) if up else UP if abs(along.y) > 0.7 else FRONT)
            bone.use_deform, bone.use_inherit_rotation = deform, inherit
            bone.parent = edit[parent] if parent else None
        bpy.ops.object.mode_set(mode="OBJECT")
        # Blender cuts or renames invalid names; a rig whose names differ from its table would prove nothing.
        assert {n[0] for n in self.noted} == set(self.rig.data.bones.keys())

    # --- constraints --------------------------------------------------------------------------------------------------

    def constrain(self, bone, kind, target="", **settings):
        """Add a constraint, on a bone of this armature if `target` names one."""
        made = self.rig.pose.bones[bone].constraints.new(kind)
        if target:
            made.target, made.subtarget = self.rig, target
        for key, value in settings.items():
            setattr(made, key, value)
        return made

    def follow(self, bone, target, **settings):
        """Let a bone copy another's pose."""
        return self.constrain(bone, "COPY_TRANSFORMS", target, **settings)

    def blend(self, bone, below, above, switch, value):
        """Make a bone follow `below`, or `above` while the switch has that value."""
        self.follow(bone, below)
        self.switched(self.follow(bone, above), switch, value)

    def local(self, bone, kind, target, **settings):
        """Add a constraint that works in both bones' own spaces."""
        return self.constrain(bone, kind, target, owner_space="LOCAL", target_space="LOCAL", **settings)

    def ik(self, bone, target, pole="", length=2, **settings):
        """Add an IK constraint whose pole angle leaves the chain as it rests."""
        made = self.constrain(bone, "IK", target, chain_count=length, iterations=500, use_stretch=False)
        if pole:
            made.pole_target, made.pole_subtarget = self.rig, pole
            made.pole_angle = self._pole_angle(bone, pole, length)
        for key, value in settings.items():
            setattr(made, key, value)
        return made

    def _pole_angle(self, bone, pole, length):
        """Return the angle from the pole to the first bone's X axis, about the bone."""
        bones = self.rig.data.bones
        last = first = bones[bone]
        for _ in range(length - 1):
            first = first.parent
        head, along = first.head_local, first.tail_local - first.head_local
        normal = (last.tail_local - head).cross(bones[pole].head_local - head)
        toward, side = normal.cross(along), first.matrix_local.to_3x3().col[0]
        angle = side.angle(toward)
        return -angle if along.dot(side.cross(toward)) >= 0.0 else angle

    def stretch(self, bone, target, **settings):
        """Stretch a bone to another one's head, with its present length as the rest length."""
        length = self.rig.data.bones[bone].length
        return self.constrain(bone, "STRETCH_TO", target, rest_length=length, **settings)

    def child_of(self, bone, parent):
        """Make a bone a child of another by constraint, with an unchanged rest pose."""
        made = self.constrain(bone, "CHILD_OF", parent)
        made.inverse_matrix = self.rig.data.bones[parent].matrix_local.inverted()
        return made

    # --- properties, drivers ------------------------------------------------------------------------------------------

    def prop(self, bone, name, value):
        """Give a bone (or with no bone, the object) a custom property that animators slide from 0 to 1."""
        owner = self.rig.pose.bones[bone] if bone else self.rig
        owner[name] = value
        if not isinstance(value, bool):
            owner.id_properties_ui(name).update(min=0, max=1, soft_min=0, soft_max=1)
        return (bone, name)

    def drive(self, data, path, switch, expression="var"):
        """Drive a property by a switch."""
        bone, name = switch
        driver = data.driver_add(path).driver
        driver.type, driver.expression = "SCRIPTED", expression
        variable = driver.variables.new()
        variable.name = "var"
        variable.targets[0].id = self.rig
        variable.targets[0].data_path = f'pose.bones["{bone}"]["{name}"]' if bone else f'["{name}"]'
        return driver

    def switched(self, constraint, switch, value=1):
        """Let a constraint work fully while the switch has that value (0 or 1), and not at all at the other value."""
        self.drive(constraint, "influence", switch, "var" if value else "1 - var")

    def muted(self, constraint, switch, value=1):
        """Mute a constraint where the switch has that value."""
        self.drive(constraint, "mute", switch, "var" if value else "not var")

    # --- shapes and meshes --------------------------------------------------------------------------------------------

    def shape(self, names, kind="circle", scale=1.0):
        """Show bones by a shape of wires, and let animators turn but not scale them."""
        mesh = _wires(kind)
        for name in names:
            bone = self.rig.pose.bones[name]
            bone.custom_shape = mesh
            bone.custom_shape_scale_xyz = (scale,) * 3
            bone.lock_scale = (True,) * 3

    def body(self, names=None):
        """Add a body of plain boxes on the deform bones, or on the given ones."""
        points, faces, groups = [], [], {}
        for bone in (b for b in self.rig.data.bones if b.use_deform and (names is None or b.name in names)):
            corners = _box(bone)
            groups[bone.name] = range(len(points), len(points) + 8)
            faces += [[len(points) + i for i in face] for face in _FACES]
            points += corners
        mesh = bpy.data.meshes.new(f"{self.rig.name} body")
        mesh.from_pydata(points, [], faces)
        body = bpy.data.objects.new(mesh.name, mesh)
        bpy.context.scene.collection.objects.link(body)
        for name, indices in groups.items():
            body.vertex_groups.new(name=name).add(list(indices), 1.0, "REPLACE")
        body.parent = self.rig
        body.modifiers.new("Armature", "ARMATURE").object = self.rig
        return body

    def done(self, names=None):
        """Give the rig its body, evaluate it once, and return the armature object."""
        self.body(names)
        bpy.context.view_layer.update()
        return self.rig


_FACES = ((0, 1, 2, 3), (7, 6, 5, 4), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))


def _box(bone):
    """Return the eight corners of a box along a bone."""
    thick = bone.length * 0.15
    flat = ((-thick, -thick), (thick, -thick), (thick, thick), (-thick, thick))
    return [bone.matrix_local @ Vector((x, y, z)) for y in (0.0, bone.length) for x, z in flat]


def _wires(kind):
    """Return the object of a shape, made once in a file."""
    name = f"WGT-{kind}"
    if name in bpy.data.objects:
        return bpy.data.objects[name]
    mesh = bpy.data.meshes.new(name)
    if kind == "circle":
        turned = [Matrix.Rotation(i * 0.3926990817, 3, "Y") @ Vector((0.0, 0.0, 1.0)) for i in range(16)]
        mesh.from_pydata(turned, [(i, (i + 1) % 16) for i in range(16)], [])
    else:
        cube = [(x, y, z) for x in (-0.5, 0.5) for y in (0.0, 1.0) for z in (-0.5, 0.5)]
        mesh.from_pydata(cube, [(a, b) for a in range(8) for b in range(a) if bin(a ^ b).count("1") == 1], [])
    # The shape is in the file only, not in the scene.
    return bpy.data.objects.new(name, mesh)
