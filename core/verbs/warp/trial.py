"""How warp is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"warp": 'walk.bvh --corrections "9 2 0 40 0 0 0 0"', "move_events": 'walk.bvh --events "20 24"'}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {
    "warp": {"sources": ("slow",), "corrections": "20 2 0 30 0 0 0 0.01"},
    "move_events": {"sources": ("slow",), "events": "20 22"},
}
# Required options, by verb, for applying its recipe to the figure's clips walk, turn left and wave.
EXAMPLE = {
    "warp": {"corrections": ((20, 2, 0, 30, 0, 0, 0, 0.01),)},
    "move_events": {"events": ((40, 44),)},
}
# Values that the fuzzer may try for any option.
VALUES = (
    [[20, 24], [40, 38.5]],
    [[20, 20, 0.2], [40, 41, 0, 1]],
    [[9, 9, 5, 0.5]],
    [[9, 2, 0, 40, 0, 0, 0, 0.1], [9, 3, 1e9, 0, 0, 0, 0, 0]],
    [[5, 2, 7]],
)
