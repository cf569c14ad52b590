"""Weight: flights of a body fall at 9.81 m/s², and standing bodies stay over their feet (methods: Weight)."""
