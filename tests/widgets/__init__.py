"""Tests of the widgets; `browser/` holds those that need a real browser."""
