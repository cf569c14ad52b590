"""How travel is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"travel": "spot.bvh", "in_place": "walk.bvh"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
# With marked contacts a new action is created even if no joint moves.
OPERATORS = {"travel": {"sources": ("slow",), "mark_contacts": True}, "in_place": {"sources": ("slow",)}}
