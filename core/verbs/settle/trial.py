"""How settle is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"settle": "walk.bvh sneak.bvh"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"settle": {"sources": ("slow",), "towards": "quick"}}
