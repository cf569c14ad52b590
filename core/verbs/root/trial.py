"""How root is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"root": "walk.bvh --onto hips"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
# With marked contacts a new action is created even if no joint moves.
OPERATORS = {"root": {"sources": ("slow",), "onto": "hips", "mark_contacts": True}}
# Required options, by verb, for applying its recipe to the figure's clips walk, turn left and wave.
EXAMPLE = {"root": {"onto": "hips"}}  # the generated body has only hips
