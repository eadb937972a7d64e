"""Histories are chosen by what is rarely reached: profiles, and moments of faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.mutation.reached import Point
from tests.simulation.faults.effects import Effects
from tests.simulation.faults.faults import Fault
from tests.simulation.histories import history
from tests.simulation.play.moments import Moments, Play, Reach, aimed, even_calls, listen, shares
from tests.simulation.profiles.all_profiles import ALL


@pytest.fixture
def moments() -> Iterator[Moments]:
    yield listen()
    Effects.heard = None


def test_a_profile_that_comes_where_few_do_gets_more_histories() -> None:
    usual, some, other = (Point("flows", "f", line) for line in range(3))
    reached = {
        "usual": Reach({usual}, calls=100),
        "as usual": Reach({usual}, calls=100),
        "rare": Reach({usual, some}, calls=100),
        "rare and dear": Reach({usual, other}, calls=400),
    }

    dealt = shares(reached, 80)

    assert dealt["usual"] == dealt["as usual"] > 0
    assert dealt["rare"] > max(dealt["usual"], dealt["rare and dear"])
    assert sum(dealt.values()) == 80


def test_profiles_of_long_histories_play_fewer_so_that_each_makes_as_many_calls() -> None:
    reached = {
        "short": Reach(calls=500),
        "long": Reach(calls=2_000),
        "middling": Reach(calls=1_000),
    }

    dealt = even_calls(reached, 70)

    assert dealt == {"short": 40, "long": 10, "middling": 20}


def test_an_aimed_history_meets_its_risk_where_it_was_not_met_before(moments: Moments) -> None:
    scene, play = ALL["crashes"], Play("crashes", 0)
    history(scene, play.seed)
    met, left = set(moments.met), dict(moments.left(scene, play))
    risk, again = next(iter(aimed(left, met, 1).items()))

    moments.forget()
    history(scene, again.seed, again.aims)

    assert risk not in met
    assert risk in moments.met


def test_only_faults_that_the_profile_has_are_aimed_at(moments: Moments) -> None:
    scene = ALL["crashes"]
    history(scene, 0)

    faults = {risk.fault for risk, _ in moments.left(scene, Play("crashes", 0))}

    assert faults == {fault for fault in Fault if getattr(scene.faults, fault.name.lower())}


def test_a_moment_is_the_line_of_the_flows_that_made_the_call(moments: Moments) -> None:
    history(ALL["calm"], 0)

    lines = {moment.line.partition(":")[0] for moment in moments.places}

    assert {"dispatch/dispatcher.py", "work/prepared_start.py", "work/settlement.py"} <= lines
    assert "store/conditional_writer.py" not in lines
