"""What people have of their own in an action that they all do: its components, and sliders that mean something."""
