"""All of the levels, for whoever begins a transform: the slow door's other side.

Programs without transforms never get here, and start more quickly for it.
"""

from autodidact.levels import function_lanes, functions, passes, steps

__all__ = ["function_lanes", "functions", "passes", "steps"]
