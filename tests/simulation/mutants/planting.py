"""Plants a fault in the flows for a while, and plays the histories that may show it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.simulation.histories import verdict
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.profiles.all_profiles import ALL


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Puts it into the flows for a while."""
    patches = mutant.patches()
    before = [getattr(module, name) for module, name, _ in patches]
    for module, name, changed in patches:
        setattr(module, name, changed)
    try:
        yield
    finally:
        for (module, name, _), original in zip(patches, before, strict=True):
            setattr(module, name, original)


def killed_by(mutant: Mutant, seeds: range | None = None) -> Iterator[tuple[str, int, list[str]]]:
    """Every history that shows it."""
    with planted(mutant):
        for seed in seeds or range(mutant.seed, mutant.seed + mutant.within):
            for name in mutant.profiles:
                if laws := verdict(ALL[name], seed):
                    _check_sound(mutant, laws)
                    yield name, seed, laws


def _check_sound(mutant: Mutant, laws: list[str]) -> None:
    """A mutant that no longer fits the flow it is planted in proves nothing."""
    for law in laws:
        if any(error in law for error in ("TypeError", "AttributeError", "NameError")):
            raise AssertionError(f"the mutant {mutant.name!r} does not fit any more: {law}")
