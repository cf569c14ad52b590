"""The generated figure: a body, its skin, and actions for demos, examples and tests."""
