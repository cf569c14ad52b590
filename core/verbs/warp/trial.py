"""How warp is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"warp": 'walk.bvh --corrections "9 2 0 40 0 0 0 0"', "move_events": 'walk.bvh --events "20 24"'}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {
    "warp": {"sources": ("slow",), "corrections": "20 2 0 30 0 0 0 0.01"},
    "move_events": {"sources": ("slow",), "events": "20 22"},
}
# Options that a recipe needs before it can be applied, to walk, turn left and wave of the figure, by verb.
EXAMPLE = {
    "warp": {"corrections": ((20, 2, 0, 30, 0, 0, 0, 0.01),)},
    "move_events": {"events": ((40, 44),)},
}
# Values that options of this verb might be given, for the fuzzer.
VALUES = (
    [[20, 24], [40, 38.5]],
    [[20, 20, 0.2], [40, 41, 0, 1]],
    [[9, 9, 5, 0.5]],
    [[9, 2, 0, 40, 0, 0, 0, 0.1], [9, 3, 1e9, 0, 0, 0, 0, 0]],
    [[5, 2, 7]],
)
