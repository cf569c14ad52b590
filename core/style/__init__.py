"""Style: how people differ in an action that they all do, as components and named sliders (methods: Style)."""
