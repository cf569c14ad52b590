"""How ask is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"ask": "walk.bvh sneak.bvh --speed 1"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"ask": {"sources": ("slow", "quick"), "speed": 1.0}}
