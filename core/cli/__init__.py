"""The command line: action-loom VERB …, on motion files."""
