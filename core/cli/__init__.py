"""The command line: action-loom VERB …, on BVH files."""
