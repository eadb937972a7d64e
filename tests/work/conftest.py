"""The calm world for these tests."""

from tests.simulation.calm_stage import stage

__all__ = ["stage"]
