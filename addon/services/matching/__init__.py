"""How sources match: registrations, cycles, transitions, graphs."""
