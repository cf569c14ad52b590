"""The generated figure: a body with a mesh, and actions to try everything on."""
