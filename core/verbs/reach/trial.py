"""How reach is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"reach": 'walk.bvh --target "0.3 -0.4 1.1"'}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"reach": {"sources": ("slow",), "target": "0.3 -0.4 1.1"}}
# Options that a recipe needs before it can be applied, to walk, turn left and wave of the figure, by verb.
EXAMPLE = {"reach": {"target": ((0.3, 0.2, 1.3),), "from_frame": 20}}
