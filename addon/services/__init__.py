"""Services for the interface and the command line, by subject."""
