"""How reach is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"reach": 'walk.bvh --target "0.3 -0.4 1.1"'}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"reach": {"sources": ("slow",), "target": "0.3 -0.4 1.1"}}
# Required options, by verb, for applying its recipe to the figure's clips walk, turn left and wave.
EXAMPLE = {"reach": {"target": ((0.3, 0.2, 1.3),), "from_frame": 20}}
