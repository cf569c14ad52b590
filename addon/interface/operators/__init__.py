"""Operators, one module per topic: each reads, computes, writes, and reports."""
