"""Pictures of a registration, pixel by pixel: the curve in the panel's preview and in the image with axes."""

import bpy
import material
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal


def pixels_of(image):
    values = np.empty(image.size[0] * image.size[1] * image.channels, dtype=np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(image.size[1], image.size[0], image.channels)[..., :3]


def preview_of(loom, rig, which):
    analysis, pictures = loom("addon.services.matching.analysis"), loom("addon.bitmaps.images")
    preview = pictures._previews[analysis.preview_name(rig.session_uid, which)]
    values = np.empty(4 * preview.image_size[0] * preview.image_size[1], dtype=np.float32)
    preview.image_pixels_float.foreach_get(values)
    return values.reshape(preview.image_size[1], preview.image_size[0], 4)


def test_the_reference_may_be_any_of_several(loom, analysis):
    rig = material.two_actions()
    material.key_by_hand(rig, "three", seed=3)
    sources = [*material.BOTH, {"name": "three", "weight": 0.0}]
    material.analyse(sources=sources, reference="2")
    assert [pair.name for pair in analysis.analysis_of(rig).pairs] == ["one", "three"]
    assert analysis.analysis_of(rig).reference == "two"
    for pair in analysis.analysis_of(rig).pairs:
        analysis.icon_of(analysis.analysis_of(rig), pair)  # like a panel that shows it
        assert preview_of(loom, rig, pair.which).shape == (384, 384, 4)


def test_the_image_shows_the_curve_in_the_colour_of_its_source(loom, analysis, listed):
    line = next(s for s in bpy.context.scene.action_loom.rigs[0].sources if s.action.name == "two")
    line.color = (0.8, 0.2, 0.6)
    material.analyse()
    assert bpy.ops.action_loom.show_registration() == {"FINISHED"}
    image = bpy.data.images["two to one"]
    known = analysis.analysis_of(listed)
    pixels, layout = pixels_of(image), loom("addon.bitmaps.match_bitmap").layout_of(analysis.match_of(known, 1))
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
    material.analyse()
    known = analysis.analysis_of(listed)
    pixels, frames = preview_of(loom, listed, 1), known.registered.curves[1].frames
    assert pixels.shape == (384, 384, 4)
    for k in range(33):
        x, y = int((k + 0.5) * 384 / 33), int((frames[k] + 0.5) * 384 / 49)
        assert_allclose(pixels[y, x, :3], known.colors[1], rtol=0.0, atol=1.5 / 255)
    assert (pixels[..., 3] == 1.0).all()


def test_another_colour_in_the_list_is_one_in_the_preview(loom, analysis, listed):
    material.analyse()
    frames = analysis.analysis_of(listed).registered.curves[1].frames
    x, y = int(16.5 * 384 / 33), int((frames[16] + 0.5) * 384 / 49)
    line = next(s for s in bpy.context.scene.action_loom.rigs[0].sources if s.action.name == "two")
    line.color = (0.1, 0.9, 0.3)
    assert_allclose(preview_of(loom, listed, 1)[y, x, :3], (0.1, 0.9, 0.3), rtol=0.0, atol=1.5 / 255)


def test_what_is_left_out_is_tinted(loom):
    painting, bitmap = loom("addon.bitmaps.match_bitmap"), loom("addon.bitmaps.bitmap")
    curve = np.stack([np.arange(10.0, 31.0), np.arange(5.0, 26.0)], axis=1)
    axes = bitmap.Axis(1.0, 1.0, 40, (10.0, 30.0)), bitmap.Axis(1.0, 1.0, 26, (5.0, 25.0))
    matrix = np.full((40, 26), 0.4)
    matrix[39, 3], matrix[38, 3] = 0.0, 1.0  # so that shades are distances
    match = painting.Match(matrix, curve, *axes)
    pixels = painting.small(match, (1.0, 0.0, 0.0))
    assert (pixels[383, 192] == round(0.4 * 255)).all()
    # Pixels beyond the first and the last frame of either clip, and at a corner, beyond both.
    for x, y in ((int(9.9 * 384 / 40), 383), (int(31.1 * 384 / 40), 383), (192, int(4.9 * 384 / 26)), (0, 0)):
        assert_array_equal(pixels[y, x], np.rint(255 * 0.7 * np.array([0.6 * 0.4 + 0.4, 0.6 * 0.4, 0.6 * 0.4])))


def dots_in(pixels, corner, text, dot, glyphs):
    """Assert that pixels show a text, dot by dot from the font's table."""
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
    rig = material.two_actions()
    material.analyse(trim=False)
    bpy.ops.action_loom.show_registration()
    painting, bitmap = loom("addon.bitmaps.match_bitmap"), loom("addon.bitmaps.bitmap")
    pixels = pixels_of(bpy.data.images["two to one"])
    layout = painting.layout_of(analysis.match_of(analysis.analysis_of(rig), 1))
    assert [tick.text for tick in layout.across] == ["5", "10", "15", "20", "25", "30"]  # frames 1 to 33
    assert [tick.text for tick in layout.up] == ["-5", "0", "5", "10", "15", "20", "25", "30", "35", "40"]
    for tick in layout.across:
        middle = layout.left + int((int(tick.text) - 1 + 0.5) * layout.scale[0])
        corner = (middle - (6 * len(tick.text) - 1) * layout.dot // 2, layout.bottom - 13 * layout.dot)
        dots_in(pixels, corner, tick.text, layout.dot, bitmap.GLYPHS)
        assert (pixels[layout.bottom - 2, middle] != pixels[0, 0]).all()
    for tick in layout.up:
        middle = layout.bottom + int((int(tick.text) + 7 + 0.5) * layout.scale[1])
        right = layout.left - 6 * layout.dot
        corner = (right - (6 * len(tick.text) - 1) * layout.dot, middle - 7 * layout.dot // 2)
        dots_in(pixels, corner, tick.text, layout.dot, bitmap.GLYPHS)
        assert (pixels[middle, layout.left - 2] != pixels[0, 0]).all()


@pytest.mark.parametrize(
    ("counts", "scale"),
    [((333, 200), (3, 3)), ((666, 400), (3, 3)), ((40, 50), (20, 20)), ((2500, 90), (1, 5)), ((26, 160), (19, 6))],
)
def test_a_frame_has_as_many_pixels_as_there_is_room_for(loom, counts, scale):
    painting, bitmap = loom("addon.bitmaps.match_bitmap"), loom("addon.bitmaps.bitmap")
    axes = [bitmap.Axis(1.0, 1.0, count, (0.0, count - 1.0)) for count in counts]
    match = painting.Match(np.zeros(counts), np.zeros((1, 2)), *axes)
    assert painting.layout_of(match).scale == scale


def test_cycles_are_shown_in_scene_frames_and_wrap(loom, analysis):
    rig = material.biped()
    material.key_walk(rig, "one", frames=24, first=5)
    material.key_walk(rig, "two", frames=30, leads="R")
    material.analyse(ends="cyclic")
    known = analysis.analysis_of(rig)
    match = analysis.match_of(known, 1)
    assert (match.across.first, match.across.count, match.up.first, match.up.count) == (5.0, 24, 1.0, 30)
    pixels, frames = preview_of(loom, rig, 1), known.registered.curves[1].frames
    assert frames[0] > 5.0  # it leads with the other foot
    for k in range(24):
        x, y = int((k + 0.5) * 384 / 24), int(((frames[k] + 0.5) % 30) * 384 / 30)
        assert_allclose(pixels[y, x, :3], known.colors[1], rtol=0.0, atol=1.5 / 255)


def test_the_same_image_is_used_again_and_nobody_elses():
    material.two_actions()
    theirs = bpy.data.images.new("two to one", 4, 4)
    material.analyse()
    bpy.ops.action_loom.show_registration()
    ours = next(image for image in bpy.data.images if image != theirs)
    before = pixels_of(ours).copy()
    material.analyse(metric="points")
    assert len(bpy.data.images) == 2
    assert np.abs(pixels_of(ours) - before).max() > 0.1  # repainted where it is shown
    bpy.ops.action_loom.show_registration(source="two")
    assert len(bpy.data.images) == 2
    assert tuple(theirs.size) == (4, 4)
    assert not ours.is_dirty  # so Blender does not ask to save it
    assert ours.users == 0  # only an editor that shows it holds it
