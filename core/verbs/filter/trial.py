"""How filter is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"filter": "walk.bvh"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"filter": {"sources": ("slow",), "cutoff": 6.0}}  # the defaults leave a clean action unchanged
