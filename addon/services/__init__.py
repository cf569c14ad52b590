"""Services: what the interface and the command line use, by subject."""
