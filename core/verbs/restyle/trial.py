"""How restyle is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"restyle": "walk.bvh sneak.bvh --mirror --cadence 0.5"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"restyle": {"sources": ("slow", "quick"), "spans": {"slow": (1, 181), "quick": (1, 121)}, "cadence": 0.5}}
