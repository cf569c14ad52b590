"""How blend is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"blend": "walk.bvh sneak.bvh --picture out/p.png"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"blend": {"sources": ("slow", "quick")}}
# Values that the fuzzer may try for any option.
VALUES = (
    [[0, 1], [1, 0]],
    [[0, 1, 2], [1]],
)
