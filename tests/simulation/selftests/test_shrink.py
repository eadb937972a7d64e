"""A failing history is told with what it needs to fail, and with nothing else."""

from __future__ import annotations

from itertools import count

from tests.simulation.faults.faults import Aim, Fault
from tests.simulation.histories import Kept, history, judged
from tests.simulation.mutants.planted_faults import MUTANTS, planted
from tests.simulation.play.shrink import Made, fewest, shrink
from tests.simulation.profiles.all_profiles import ALL


def test_a_history_of_which_all_is_kept_is_the_same_history() -> None:
    whole = history(ALL["rough"], 7)
    kept = Kept(dict(whole.world.chooser.drawn), frozenset(range(len(whole.acts))))

    again = history(ALL["rough"], 7, kept=kept)

    assert kept.faults
    assert again.world.story() == whole.world.story()


def test_a_history_with_ten_faults_is_shrunk_to_the_two_that_it_needs_at_most() -> None:
    mutant = next(each for each in MUTANTS if each.name == "no margin")
    scene = ALL["stalls"]
    with planted(mutant):
        seed = next(each for each in count(11) if _fails_with_faults(each, scene.name, 10))
        shrunk = shrink(scene, seed)

    faults = [part for part in shrunk.parts if isinstance(part, Made)]
    assert 1 <= len(faults) <= 2
    assert shrunk.before > 10
    assert shrunk.laws
    assert f"these {len(shrunk.parts)} are enough" in shrunk.told()
    assert all(each.fault.value in shrunk.told() for each in faults)


def test_what_is_left_is_all_that_is_needed() -> None:
    parts = tuple(Aim("work#0", "query", nth, Fault.LOST) for nth in range(17))
    needed = {parts[3], parts[11]}

    assert set(fewest(parts, needed.issubset)) == needed


def _fails_with_faults(seed: int, name: str, most: int) -> bool:
    stage = history(ALL[name], seed)
    return len(stage.world.chooser.drawn) >= most and bool(judged(stage, ALL[name]))
