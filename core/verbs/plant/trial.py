"""How plant is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"plant": "walk.bvh"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
# With marked contacts a new action is created even if no joint moves.
OPERATORS = {"plant": {"sources": ("slow",), "mark_contacts": True}}
# Values that the fuzzer may try for any option.
VALUES = (
    "0 1; 1 0",
    "0 0 3 20; 1 1 5 9",
    [[0, 0, 0, 61], [1, 0, 9, 30]],
)
