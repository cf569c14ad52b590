"""Draw the character's own mesh in the 3D view, skinned on the graphics card.

The card blends the matrices of up to four bones per vertex; meshes with more, or with preserved volume, are skinned on
the CPU by the reference kernels.
"""

from typing import TYPE_CHECKING, Any

from ....core.cache import Cache
from ...ground import memory

if TYPE_CHECKING:
    import gpu

    from ....core.motion.quat import Array
    from ....core.skin.normals import Floats
    from ....core.skin.skin import Skin
    from ...services.preview.shapes import Body

OPACITY = 0.6  # of a ghost: the character behind it is seen
IN_BLOCK = 341  # bones whose matrices fit the 16 KB uniform block of every card; more bones come as a texture
ROWS = 3  # transmitted rows of a bone's matrix; the last row is constant
CORNERS = 4  # bones and weights of a vertex in the shader's layout

# The shaders do not shadow names or write to inputs, because some drivers refuse that.
SKIN = """
vec4 row_of(float bone, int row)
{
#ifdef IN_TEXTURE
  return texelFetch(boneRows, ivec2(row, int(bone)), 0);
#else
  return boneBlock.rows[3 * int(bone) + row];
#endif
}

vec4 blended(int row)
{
  return shares.x * row_of(owners.x, row) + shares.y * row_of(owners.y, row) + shares.z * row_of(owners.z, row)
       + shares.w * row_of(owners.w, row);
}

void skinned(out vec3 place, out vec3 direction)
{
  place = pos;
  direction = normal;
  if (shares.x > 0.0) {
    vec4 x = blended(0);
    vec4 y = blended(1);
    vec4 z = blended(2);
    place = vec3(dot(x, vec4(pos, 1.0)), dot(y, vec4(pos, 1.0)), dot(z, vec4(pos, 1.0)));
    direction = vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
  }
}
"""
SHOW = """
void main()
{
  vec3 place;
  vec3 direction;
  skinned(place, direction);
  facing = direction;
  gl_Position = toView * vec4(place, 1.0);
}
"""
SHADE = """
void main()
{
  float light = abs(dot(normalize(facing), toEye.xyz));
  outColor = vec4(tint.rgb * (0.25 + 0.75 * light), tint.a);
}
"""

# GPU batches by the identity of a mesh, which the entry keeps alive. Empty if nothing is drawn.
_surfaces: "Cache[int, tuple[Skin, gpu.types.GPUBatch]]" = memory.cache(8)
_shaders: "Cache[str, gpu.types.GPUShader]" = memory.cache(4)


def draw(body: "Body", frame: float, color: tuple[float, ...]) -> None:
    """Draw a character in its pose at a scene frame."""
    import gpu
    from mathutils import Matrix, Vector

    from ....core.skin import skinning

    posed, standing = body.at(frame)
    placed = Matrix(standing.tolist())
    view = gpu.matrix.get_model_view_matrix() @ placed
    to_view = gpu.matrix.get_projection_matrix() @ view
    to_eye = (view.to_3x3().inverted() @ Vector((0.0, 0.0, 1.0))).normalized()
    shown = [_moved_by_card(body.linear, body.rest, posed)] if body.linear is not None else []
    if body.volume is not None:
        shown.append(_moved_here(body.volume, *skinning.dual_quaternions(body.volume, body.rest, posed)))
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(True)
    gpu.state.blend_set("ALPHA")
    try:
        for colored in (False, True):  # depth first, so that of a translucent mesh only the front is seen
            gpu.state.color_mask_set(colored, colored, colored, colored)
            for batch, moved in shown:
                shader: Any = _shader(len(moved))  # the stubs want a matrix as numbers
                shader.bind()
                shader.uniform_float("toView", to_view)
                shader.uniform_float("toEye", (*to_eye[:], 0.0))
                shader.uniform_float("tint", (*color[:3], OPACITY))
                kept = give_bones(shader, moved)
                batch.draw(shader)
                del kept
    finally:
        gpu.state.color_mask_set(True, True, True, True)
        gpu.state.blend_set("NONE")
        gpu.state.depth_mask_set(False)
        gpu.state.depth_test_set("NONE")


def _moved_by_card(surface: "Skin", rest: "Array", posed: "Array") -> "tuple[gpu.types.GPUBatch, Array]":
    """Return a mesh's batch and its bones' matrices (B, 4, 4); the CPU skins it if a vertex has too many bones."""
    from ....core.skin import skinning

    moved = skinning.moves(rest, posed)
    if surface.most > CORNERS:
        return _moved_here(surface, *skinning.linear(surface, moved))
    known = _surfaces.get(id(surface))
    if known is None:
        made = batch_of(surface, surface.vertices, surface.normals, hanging=True)
        known = _surfaces.keep(id(surface), (surface, made))
    return known[1], moved


def _moved_here(surface: "Skin", vertices: "Floats", normals: "Floats") -> "tuple[gpu.types.GPUBatch, Array]":
    import numpy as np

    return batch_of(surface, vertices, normals, hanging=False), np.eye(4)[None]


def batch_of(
    surface: "Skin", vertices: "Floats", normals: "Floats", *, hanging: bool, points: bool = False
) -> "gpu.types.GPUBatch":
    """Return a GPU batch of a mesh with given vertices; `hanging` : skinned by its bones, or fixed.

    points : draw its vertices as points instead of its faces
    """
    import gpu
    import numpy as np

    form = gpu.types.GPUVertFormat()
    for name, length in (("pos", 3), ("normal", 3), ("owners", 4), ("shares", 4)):
        form.attr_add(id=name, comp_type="F32", len=length, fetch_mode="FLOAT")
    buffer: Any = gpu.types.GPUVertBuf(form, len(surface))  # the stubs don't know that arrays are accepted
    owners, shares = surface.compact if hanging else (np.zeros((len(surface), CORNERS)),) * 2
    for name, values in (("pos", vertices), ("normal", normals), ("owners", owners), ("shares", shares)):
        buffer.attr_fill(name, np.ascontiguousarray(values, np.float32))
    if points:
        return gpu.types.GPUBatch(type="POINTS", buf=buffer)
    corners: Any = np.ascontiguousarray(surface.triangles, np.int32)
    order = gpu.types.GPUIndexBuf(type="TRIS", seq=corners)
    return gpu.types.GPUBatch(type="TRIS", buf=buffer, elem=order)


def give_bones(shader: "gpu.types.GPUShader", moved: "Array") -> Any:
    """Send bone matrices (B, 4, 4) to a shader; keep the returned buffer alive until it has drawn."""
    import gpu
    import numpy as np

    rows: Any = np.ascontiguousarray(moved[:, :ROWS], np.float32)  # as above
    if len(moved) > IN_BLOCK:
        data = gpu.types.Buffer("FLOAT", rows.size, rows.ravel())
        texture = gpu.types.GPUTexture((ROWS, len(moved)), format="RGBA32F", data=data)
        shader.uniform_sampler("boneRows", texture)
        return texture
    whole: Any = np.zeros((ROWS * IN_BLOCK, 4), np.float32)
    whole[: ROWS * len(moved)] = rows.reshape(-1, 4)
    block = gpu.types.GPUUniformBuf(gpu.types.Buffer("FLOAT", whole.size, whole.ravel()))
    shader.uniform_block("boneBlock", block)
    return block


def _shader(bones: int) -> "gpu.types.GPUShader":
    in_texture = bones > IN_BLOCK
    return _shaders.made("texture" if in_texture else "block", lambda: _compile_shader(in_texture))


def _compile_shader(in_texture: bool) -> "gpu.types.GPUShader":
    import gpu

    info = shader_info(in_texture, SHOW)
    between = gpu.types.GPUStageInterfaceInfo("action_loom_ghost")
    between.smooth("VEC3", "facing")
    info.vertex_out(between)
    info.push_constant("MAT4", "toView")
    info.push_constant("VEC4", "toEye")
    info.push_constant("VEC4", "tint")
    info.fragment_out(0, "VEC4", "outColor")
    info.fragment_source(SHADE)
    return gpu.shader.create_from_info(info)


def shader_info(in_texture: bool, main: str) -> "gpu.types.GPUShaderCreateInfo":
    """Return a shader with skinned vertices; `main` is the code that uses them."""
    import gpu

    info = gpu.types.GPUShaderCreateInfo()
    info.vertex_in(0, "VEC3", "pos")
    info.vertex_in(1, "VEC3", "normal")
    info.vertex_in(2, "VEC4", "owners")
    info.vertex_in(3, "VEC4", "shares")
    if in_texture:
        info.define("IN_TEXTURE", "1")
        info.sampler(0, "FLOAT_2D", "boneRows")
    else:
        info.typedef_source(f"struct ActionLoomBones {{ vec4 rows[{ROWS * IN_BLOCK}]; }};")
        info.uniform_buf(0, "ActionLoomBones", "boneBlock")
    info.vertex_source(SKIN + main)
    return info
