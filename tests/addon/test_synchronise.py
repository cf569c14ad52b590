"""Analysing and re-timing: the curve, its pictures, and whether the panel knows that they still hold."""

import time
from threading import Event
from types import SimpleNamespace

import bpy
import material
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

BOTH = [{"name": "one", "weight": 1.0}, {"name": "two", "weight": 1.0}]
PANELS = ("sources", "source", "roles", "weave", "weave_more", "synchronise", "synchronise_more")


@pytest.fixture
def analysis(loom):
    return loom("addon.analysis")


def two_actions():
    rig = material.armature()
    material.key_by_hand(rig, "one", seed=1)
    material.key_by_hand(rig, "two", seed=2, frames=(-7, 12, 26, 41))
    return rig


@pytest.fixture
def listed():
    """An armature with two ticked actions in its list, and the panel as it is at first but for pinned ends."""
    rig = two_actions()
    bpy.ops.action_loom.add_sources()
    bpy.context.scene.action_loom.matching.ends = "pinned"
    bpy.context.view_layer.update()
    return rig


def analyse(**options):
    assert bpy.ops.action_loom.analyse(**{"sources": BOTH, "ends": "pinned", **options}) == {"FINISHED"}


def state(analysis, rig):
    return analysis.state(bpy.context.scene, rig)


def clips_of(loom, rig, *names):
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(rig)
    return [clips.read(rig, bpy.data.actions[name], body, material.scene_rate()).clip for name in names]


def pixels_of(image):
    values = np.empty(image.size[0] * image.size[1] * image.channels, dtype=np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(image.size[1], image.size[0], image.channels)[..., :3]


def preview_of(loom, rig, which):
    analysis, pictures = loom("addon.analysis"), loom("addon.pictures")
    preview = pictures.previewed(analysis.preview_name(rig.session_uid, which))
    values = np.empty(4 * preview.image_size[0] * preview.image_size[1], dtype=np.float32)
    preview.image_pixels_float.foreach_get(values)
    return values.reshape(preview.image_size[1], preview.image_size[0], 4)


def move_a_key(name, by):
    point = material.fcurves(bpy.data.actions[name])[0].keyframe_points[1]
    point.co.y += by
    bpy.context.view_layer.update()


def test_a_script_finds_the_curve_that_core_finds(loom, analysis):
    rig = two_actions()
    analyse(metric="points", window=0.1)
    matching = loom("core.sync.matching").Matching(metric="points", window=0.1, ends="pinned")
    wanted = loom("core.weave.matched").match(clips_of(loom, rig, "one", "two"), matching)
    known = analysis.of(rig)
    found = known.registered.curves[1]
    assert_array_equal(found.frames, wanted.registration.curves[1].frames)
    (pair,) = known.pairs
    (told,) = loom("core.weave.reporting").describe(wanted.prepared, wanted.registration)
    assert (pair.name, known.reference) == ("two", "one")
    assert (pair.likeness, pair.ends, list(pair.kept), pair.limit) == (
        told["likeness"],
        "pinned",
        told["kept"],
        told["slope_limit"],
    )


def test_the_reference_may_be_any_of_several(loom, analysis):
    rig = two_actions()
    material.key_by_hand(rig, "three", seed=3)
    sources = [*BOTH, {"name": "three", "weight": 0.0}]
    analyse(sources=sources, reference="2")
    assert [pair.name for pair in analysis.of(rig).pairs] == ["one", "three"]
    assert analysis.of(rig).reference == "two"
    for pair in analysis.of(rig).pairs:
        assert preview_of(loom, rig, pair.which).shape == (384, 384, 4)


def test_the_image_shows_the_curve_in_the_colour_of_its_source(loom, analysis, listed):
    line = next(s for s in bpy.context.scene.action_loom.rigs[0].sources if s.action.name == "two")
    line.color = (0.8, 0.2, 0.6)
    analyse()
    assert bpy.ops.action_loom.show_registration() == {"FINISHED"}
    image = bpy.data.images["two to one"]
    known = analysis.of(listed)
    pixels, layout = pixels_of(image), loom("addon.painting").layout_of(analysis.match_of(known, 1))
    across, up = layout.scale
    assert (across, up) == (1000 // 49, 1000 // 49)  # 33 and 49 frames
    assert (pixels.shape[1], pixels.shape[0]) == layout.size
    frames = known.registered.curves[1].frames
    assert len(frames) == 33
    for k in range(33):
        x, y = layout.left + int((k + 0.5) * across), layout.bottom + int((frames[k] + 0.5) * up)
        assert_allclose(pixels[y, x], line.color, rtol=0.0, atol=0.5 / 255 + 1e-6)
    plot = pixels[layout.bottom : layout.bottom + 49 * up, layout.left : layout.left + 33 * across]
    corners = plot[-1, 0], plot[0, -1]
    matrix = known.registered.curves[1].matrix
    for corner, distance in zip(corners, (matrix[0, -1], matrix[-1, 0]), strict=True):
        grey = (distance - matrix.min()) / (matrix.max() - matrix.min())
        assert_allclose(corner, grey, rtol=0.0, atol=0.5 / 255 + 1e-6)


def test_the_preview_shows_the_same_curve(loom, analysis, listed):
    analyse()
    known = analysis.of(listed)
    pixels, frames = preview_of(loom, listed, 1), known.registered.curves[1].frames
    assert pixels.shape == (384, 384, 4)
    for k in range(33):
        x, y = int((k + 0.5) * 384 / 33), int((frames[k] + 0.5) * 384 / 49)
        assert_allclose(pixels[y, x, :3], known.colors[1], rtol=0.0, atol=1.5 / 255)
    assert (pixels[..., 3] == 1.0).all()


def test_another_colour_in_the_list_is_one_in_the_preview(loom, analysis, listed):
    analyse()
    frames = analysis.of(listed).registered.curves[1].frames
    x, y = int(16.5 * 384 / 33), int((frames[16] + 0.5) * 384 / 49)
    line = next(s for s in bpy.context.scene.action_loom.rigs[0].sources if s.action.name == "two")
    line.color = (0.1, 0.9, 0.3)
    assert_allclose(preview_of(loom, listed, 1)[y, x, :3], (0.1, 0.9, 0.3), rtol=0.0, atol=1.5 / 255)


def test_what_is_left_out_is_tinted(loom, analysis):
    painting = loom("addon.painting")
    curve = np.stack([np.arange(10.0, 31.0), np.arange(5.0, 26.0)], axis=1)
    axes = painting.Axis(1.0, 1.0, 40, (10.0, 30.0)), painting.Axis(1.0, 1.0, 26, (5.0, 25.0))
    matrix = np.full((40, 26), 0.4)
    matrix[39, 3], matrix[38, 3] = 0.0, 1.0  # so that shades are distances
    match = painting.Match(matrix, curve, *axes)
    pixels = painting.small(match, (1.0, 0.0, 0.0))
    assert (pixels[383, 192] == round(0.4 * 255)).all()
    # A pixel beyond the first and the last frame of either, and at a corner, where it is beyond both.
    for x, y in ((int(9.9 * 384 / 40), 383), (int(31.1 * 384 / 40), 383), (192, int(4.9 * 384 / 26)), (0, 0)):
        assert_array_equal(pixels[y, x], np.rint(255 * 0.7 * np.array([0.6 * 0.4 + 0.4, 0.6 * 0.4, 0.6 * 0.4])))


def dots_in(pixels, corner, text, dot, glyphs):
    """Compare pixels with a text drawn dot by dot from the font's table."""
    x, y = corner
    ground = pixels[0, 0]
    for place, letter in enumerate(text):
        for row, bits in enumerate(glyphs[letter]):
            for column in range(5):
                left, low = x + (6 * place + column) * dot, y + (6 - row) * dot
                cell = pixels[low : low + dot, left : left + dot]
                wanted = bool(bits >> (4 - column) & 1)
                assert (np.abs(cell - ground).max(axis=2) > 0.3).all() == wanted, (text, letter, row, column)
                assert wanted or (cell == ground).all()


def test_the_axes_tell_scene_frames(loom, analysis):
    rig = two_actions()
    analyse(trim=False)
    bpy.ops.action_loom.show_registration()
    painting = loom("addon.painting")
    pixels = pixels_of(bpy.data.images["two to one"])
    layout = painting.layout_of(analysis.match_of(analysis.of(rig), 1))
    assert [tick.text for tick in layout.across] == ["5", "10", "15", "20", "25", "30"]  # frames 1 to 33
    assert [tick.text for tick in layout.up] == ["-5", "0", "5", "10", "15", "20", "25", "30", "35", "40"]
    for tick in layout.across:
        middle = layout.left + int((int(tick.text) - 1 + 0.5) * layout.scale[0])
        corner = (middle - (6 * len(tick.text) - 1) * layout.dot // 2, layout.bottom - 13 * layout.dot)
        dots_in(pixels, corner, tick.text, layout.dot, painting.GLYPHS)
        assert (pixels[layout.bottom - 2, middle] != pixels[0, 0]).all()
    for tick in layout.up:
        middle = layout.bottom + int((int(tick.text) + 7 + 0.5) * layout.scale[1])
        right = layout.left - 6 * layout.dot
        corner = (right - (6 * len(tick.text) - 1) * layout.dot, middle - 7 * layout.dot // 2)
        dots_in(pixels, corner, tick.text, layout.dot, painting.GLYPHS)
        assert (pixels[middle, layout.left - 2] != pixels[0, 0]).all()


@pytest.mark.parametrize(
    ("counts", "scale"),
    [((333, 200), (3, 3)), ((666, 400), (3, 3)), ((40, 50), (20, 20)), ((2500, 90), (1, 5)), ((26, 160), (19, 6))],
)
def test_a_frame_has_as_many_pixels_as_there_is_room_for(loom, counts, scale):
    painting = loom("addon.painting")
    axes = [painting.Axis(1.0, 1.0, count, (0.0, count - 1.0)) for count in counts]
    match = painting.Match(np.zeros(counts), np.zeros((1, 2)), *axes)
    assert painting.layout_of(match).scale == scale


def test_cycles_are_shown_in_scene_frames_and_wrap(loom, analysis):
    rig = material.biped()
    material.key_walk(rig, "one", frames=24, first=5)
    material.key_walk(rig, "two", frames=30, leads="R")
    analyse(ends="cyclic")
    known = analysis.of(rig)
    match = analysis.match_of(known, 1)
    assert (match.across.first, match.across.count, match.up.first, match.up.count) == (5.0, 24, 1.0, 30)
    pixels, frames = preview_of(loom, rig, 1), known.registered.curves[1].frames
    assert frames[0] > 5.0  # it leads with the other foot
    for k in range(24):
        x, y = int((k + 0.5) * 384 / 24), int(((frames[k] + 0.5) % 30) * 384 / 30)
        assert_allclose(pixels[y, x, :3], known.colors[1], rtol=0.0, atol=1.5 / 255)


def test_the_same_image_is_used_again_and_nobody_elses(loom, analysis):
    two_actions()
    theirs = bpy.data.images.new("two to one", 4, 4)
    analyse()
    bpy.ops.action_loom.show_registration()
    ours = next(image for image in bpy.data.images if image != theirs)
    before = pixels_of(ours).copy()
    analyse(metric="points")
    assert len(bpy.data.images) == 2
    assert np.abs(pixels_of(ours) - before).max() > 0.1  # painted anew where it is shown
    bpy.ops.action_loom.show_registration(source="two")
    assert len(bpy.data.images) == 2
    assert tuple(theirs.size) == (4, 4)
    assert not ours.is_dirty  # so that nobody is asked for it
    assert ours.users == 0  # nothing holds it but an editor that shows it


def test_the_panel_knows_whether_the_analysis_holds(loom, analysis, listed):
    matching = bpy.context.scene.action_loom.matching
    assert state(analysis, listed) == "not analysed"
    analyse()
    assert state(analysis, listed) == "up to date"
    matching.window = 0.1
    assert state(analysis, listed) == "options changed"
    analyse(window=0.1)
    assert state(analysis, listed) == "up to date"
    line = bpy.context.scene.action_loom.rigs[0].sources[0]
    line.rate = 12.0
    assert state(analysis, listed) == "options changed"
    line.rate = 0.0
    line.use = False
    assert state(analysis, listed) == "not analysed"
    line.use = True
    bpy.context.scene.action_loom.rigs[0].reference = 1
    assert state(analysis, listed) == "options changed"


def give(rig, name):
    rig.animation_data.action = bpy.data.actions[name]
    if hasattr(rig.animation_data, "action_slot"):
        rig.animation_data.action_slot = bpy.data.actions[name].slots[0]
    bpy.context.view_layer.update()


def test_an_edited_key_is_noticed_and_content_decides(loom, analysis, listed):
    analyse()
    give(listed, "one")
    first = analysis.of(listed).registered
    move_a_key("one", 0.5)
    assert state(analysis, listed) == "sources may have changed"
    analyse()
    assert state(analysis, listed) == "up to date"
    assert analysis.of(listed).registered is not first
    move_a_key("one", -0.5)
    assert state(analysis, listed) == "sources may have changed"
    analyse()
    assert analysis.of(listed).registered is first  # it is as it was: nothing is registered again


def test_an_edit_that_nobody_noticed_counts_too(loom, analysis, listed):
    analyse()
    first = analysis.of(listed).registered
    points = material.fcurves(bpy.data.actions["one"])[0].keyframe_points
    points.foreach_set("co", [value for k, p in enumerate(points) for value in (p.co.x, p.co.y + 0.3 * k)])
    analyse()
    assert analysis.of(listed).registered is not first


def test_looking_at_actions_changes_none(loom, analysis, listed):
    analyse()
    for name in ("one", "two", "one"):
        give(listed, name)
        bpy.context.scene.frame_set(9)
        bpy.context.view_layer.update()
        assert state(analysis, listed) == "up to date"
    listed.location.x += 1.0
    bpy.context.view_layer.update()
    assert state(analysis, listed) == "up to date"
    move_a_key("one", 0.5)
    assert state(analysis, listed) == "sources may have changed"


def test_poses_as_seen_are_no_change_of_their_actions(loom, analysis, listed):
    bpy.context.scene.action_loom.result.as_seen = True
    analyse(as_seen=True)
    bpy.context.view_layer.update()
    assert state(analysis, listed) == "up to date"


def test_what_weaving_finds_is_analysed_and_the_other_way_round(loom, analysis, listed):
    remembered = loom("addon.remembered")
    remembered.forget()
    analyse()
    registered = analysis.of(listed).registered
    kept = list(remembered._known)
    bpy.ops.action_loom.blend(sources=BOTH, ends="pinned")
    assert analysis.of(listed).registered is registered
    assert state(analysis, listed) == "up to date"
    bpy.ops.action_loom.retime(sources=BOTH, ends="pinned")
    assert analysis.of(listed).registered is registered
    assert list(remembered._known) == kept
    bpy.context.scene.action_loom.matching.metric = "points"
    bpy.ops.action_loom.blend(sources=BOTH, ends="pinned", metric="points")
    assert state(analysis, listed) == "up to date"
    registered = analysis.of(listed).registered
    analyse(metric="points")
    assert analysis.of(listed).registered is registered


def test_weights_that_do_not_close_leave_the_analysis_of_cycles_alone(loom, analysis):
    rig = material.biped()
    material.key_walk(rig, "one", frames=24)
    material.key_walk(rig, "two", frames=30)
    bpy.ops.action_loom.blend(sources=BOTH, weight_keys="0 1 0; 1 0 1")
    assert analysis.of(rig) is None
    bpy.ops.action_loom.blend(sources=BOTH)
    assert analysis.of(rig).pairs[0].ends == "cyclic"


def test_retime_makes_what_core_makes(loom):
    rig = two_actions()
    assert bpy.ops.action_loom.retime(sources=BOTH, ends="pinned") == {"FINISHED"}
    result = rig.animation_data.action
    assert result.name == "two in time with one"
    assert tuple(result.frame_range) == (1.0, 33.0)
    recipe = loom("core.recipes").Synchronise(ends="pinned")
    woven = recipe.apply(clips_of(loom, rig, "one", "two")).clip
    (again,) = clips_of(loom, rig, result.name)
    points = loom("core.motion.kinematics").points
    assert_allclose(points(again), points(woven), rtol=0.0, atol=1e-5)
    assert loom("addon.storage").recipe_of(result) == recipe


def test_undo_takes_a_re_timed_action_back_in_one_step(loom, analysis, listed):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.action_loom.retime("EXEC_DEFAULT", True, sources=BOTH, ends="pinned")
    assert "two in time with one" in bpy.data.actions
    rig = bpy.context.object
    assert state(analysis, rig) == "up to date"
    bpy.ops.ed.undo()
    assert set(bpy.data.actions.keys()) == {"one", "two"}
    assert state(analysis, bpy.context.object) == "sources may have changed"
    analyse()
    assert state(analysis, bpy.context.object) == "up to date"


def test_analysing_changes_nothing(analysis, listed):
    before = {a.name: material.fingerprint(a) for a in bpy.data.actions}, listed.animation_data.action
    analyse()
    assert ({a.name: material.fingerprint(a) for a in bpy.data.actions}, listed.animation_data.action) == before
    assert len(bpy.data.images) == 0


def test_another_file_begins_without_analysis(analysis):
    rig = two_actions()
    analyse()
    assert analysis.of(rig) is not None
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert analysis._last == {}


def test_errors_are_sentences(loom, analysis):
    with pytest.raises(RuntimeError, match="Select an armature"):
        bpy.ops.action_loom.analyse()
    rig = two_actions()
    with pytest.raises(RuntimeError, match="Analyse the sources first"):
        bpy.ops.action_loom.show_registration()
    with pytest.raises(RuntimeError, match="Weaving takes two clips or more; 1 given"):
        bpy.ops.action_loom.analyse(sources=BOTH[:1])
    with pytest.raises(RuntimeError, match="There is no action named 'gone'"):
        bpy.ops.action_loom.analyse(sources=[BOTH[0], {"name": "gone", "weight": 1.0}])
    assert analysis.of(rig) is None
    analyse()
    with pytest.raises(RuntimeError, match="There is no picture of 'one'; there are of two"):
        bpy.ops.action_loom.show_registration(source="one")
    material.key_by_hand(rig, "three", seed=3)
    with pytest.raises(RuntimeError, match="Synchronising re-times one clip to another; 3 clips given"):
        bpy.ops.action_loom.retime(sources=[*BOTH, {"name": "three", "weight": 1.0}])
    assert set(bpy.data.actions.keys()) == {"one", "two", "three"}
    assert len(bpy.data.images) == 0


def test_every_declared_property_exists(loom):
    module = loom("addon.operators.synchronise")
    operators = {name: cls for name, cls in vars(module).items() if name.startswith("ACTION_LOOM_OT")}
    assert len(operators) == 3
    for cls in operators.values():
        operator = getattr(bpy.ops.action_loom, cls.bl_idname.partition(".")[2])
        declared = {name for base in cls.__mro__ for name in vars(base).get("__annotations__", {}) if name.islower()}
        declared -= {"bl_label", "report", "recipe", "least", "most", "wanted"}
        assert declared <= set(operator.get_rna_type().properties.keys())


class Layout:
    """Takes what a panel draws, and refuses properties and operators that there are not."""

    def __init__(self, drawn):
        object.__setattr__(self, "drawn", drawn)

    def __setattr__(self, name, value):
        assert name in bpy.types.UILayout.bl_rna.properties, name

    def __getattr__(self, name):
        assert name in bpy.types.UILayout.bl_rna.functions, name

        def call(*given, **options):
            self.drawn.append((name, given, options))
            if name == "prop":
                assert given[1] in given[0].bl_rna.properties, given
            if name == "operator":
                module, _, operator = given[0].partition(".")
                properties = getattr(getattr(bpy.ops, module), operator).get_rna_type().properties
                return Given(properties)
            return Layout(self.drawn)

        return call


class Given:
    """Takes an operator's properties, and refuses those that it has not."""

    def __init__(self, properties):
        object.__setattr__(self, "properties", properties)

    def __setattr__(self, name, value):
        assert name in self.properties, name


class Drawing:
    """A panel as its own draw functions see it; Blender makes none without a window."""

    def __init__(self, panel, layout):
        self.panel, self.layout = panel, layout

    def __getattr__(self, name):
        return getattr(self.panel, name).__get__(self)


def context_now():
    active = bpy.context.view_layer.objects.active
    return SimpleNamespace(scene=bpy.context.scene, object=active, region=SimpleNamespace(width=280))


def draw(panel, context, layout=None):
    """Draw a panel as Blender would and return what it drew."""
    drawn = []
    if hasattr(panel, "poll") and not panel.poll(context):
        return drawn
    drawing = Drawing(panel, Layout(drawn) if layout is None else layout)
    for function in ("draw_header_preset", "draw"):
        if function in vars(panel):
            getattr(panel, function)(drawing, context)
    return drawn


def draw_all():
    context = context_now()
    drawn = {name: draw(getattr(bpy.types, f"ACTION_LOOM_PT_{name}"), context) for name in PANELS}
    rig = context.scene.action_loom.rigs[0] if len(context.scene.action_loom.rigs) else None
    for place, line in enumerate(rig.sources if rig is not None else ()):
        lines = Drawing(bpy.types.ACTION_LOOM_UL_sources, Layout([]))
        lines.draw_item(context, lines.layout, rig, line, 0, rig, "active", place)
    return drawn


def shown(drawn, what):
    return [given for name, given, _ in drawn["synchronise"] + drawn["synchronise_more"] if name == what]


def test_panels_draw_whatever_there_is(loom, analysis):
    assert not draw_all()["synchronise"]
    rig = material.armature()
    assert not shown(draw_all(), "template_icon")
    bpy.data.objects.remove(rig)
    two_actions()
    material.key_by_hand(bpy.context.object, "three", seed=3)
    bpy.ops.action_loom.add_sources()
    bpy.context.scene.action_loom.matching.ends = "pinned"
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = line.action.name != "three"
    assert not shown(draw_all(), "template_icon")
    analyse()
    assert len(shown(draw_all(), "template_icon")) == 1
    bpy.context.scene.action_loom.picture = -7
    assert len(shown(draw_all(), "template_icon")) == 1
    bpy.data.actions.remove(bpy.data.actions["two"])
    assert not shown(draw_all(), "template_icon")


def test_panels_draw_while_a_job_runs(loom):
    two_actions()
    bpy.ops.action_loom.add_sources()
    jobs, end = loom("addon.jobs"), Event()
    job = jobs.begin("Analyse", lambda _progress: end.wait(20))
    try:
        drawn = draw_all()
        assert ("action_loom.cancel",) in shown(drawn, "operator")
        assert ("action_loom.analyse",) not in shown(drawn, "operator")
    finally:
        end.set()
        job.wait()
        jobs.forget(job)


def test_what_does_not_apply_is_not_shown(loom):
    material.armature()
    matching = bpy.context.scene.action_loom.matching
    for option, values in {
        "keep": {"ends": ("auto", "open")},
        "radius": {"smoothing": ("average",)},
        "power": {"metric": ("angles",)},
        "align_height": {"metric": ("points",)},
    }.items():
        ((decides, applies),) = values.items()
        choices = [item.identifier for item in matching.bl_rna.properties[decides].enum_items]
        for choice in choices:
            setattr(matching, decides, choice)
            assert (option in [given[1] for given in shown(draw_all(), "prop")]) == (choice in applies)


class Quick:
    """A layout that does nothing, as fast as can be."""

    def __getattr__(self, name):
        return self

    def __call__(self, *_given, **_options):
        return self


def test_drawing_takes_no_time(loom, analysis):
    rig = two_actions()
    for seed in range(3, 9):
        material.key_by_hand(rig, f"action {seed}", seed=seed)
    bpy.ops.action_loom.add_sources()
    bpy.context.scene.action_loom.matching.ends = "pinned"
    names = []
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = True
        names.append(line.action.name)
    analyse(sources=[{"name": name, "weight": 1.0} for name in names])
    assert state(analysis, rig) == "up to date"
    assert len(analysis.of(rig).pairs) == 7
    context, taken = context_now(), []
    for _ in range(20):
        began = time.perf_counter()
        draw(bpy.types.ACTION_LOOM_PT_synchronise, context, Quick())
        taken.append(time.perf_counter() - began)
    assert min(taken) < 2e-3
