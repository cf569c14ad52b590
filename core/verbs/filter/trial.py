"""How filter is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"filter": "walk.bvh"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"filter": {"sources": ("slow",), "cutoff": 6.0}}  # the defaults leave a clean action unchanged
