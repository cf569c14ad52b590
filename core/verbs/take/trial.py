"""How cut_out is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"cut_out": "walk.bvh --first 4 --last 60 --kind walk"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
_ROW = {"name": "Piece", "start": 5, "end": 30, "kind": "ACTION", "loop": False, "begins": "", "ends": ""}
OPERATORS = {"cut_out": {"sources": ("slow",), "rows": [_ROW]}}
