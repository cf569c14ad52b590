"""How cut_out is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"cut_out": "walk.bvh --first 4 --last 60 --kind walk"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
_ROW = {"name": "Piece", "start": 5, "end": 30, "kind": "ACTION", "loop": False, "begins": "", "ends": ""}
OPERATORS = {"cut_out": {"sources": ("slow",), "rows": [_ROW]}}
