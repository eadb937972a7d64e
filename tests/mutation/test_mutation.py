"""The tool that changes the code: what it changes, that the change acts, and what it counts."""

from __future__ import annotations

import pytest

from onthedot.store import backoff
from onthedot.store.backoff import pause_ms
from tests.mutation import alone, known, trial
from tests.mutation.__main__ import sample
from tests.mutation.changes import Change, changes, plant
from tests.mutation.decision_modules import modules
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.nearest import nearest
from tests.mutation.reached import points
from tests.mutation.share import interval

_FIRING = "onthedot.dispatch.plan_effects"


def test_each_kind_of_change_is_found() -> None:
    found = {(each.before, each.after) for name in modules() for each in changes(name)}

    assert ("outcome is Outcome.DONE", "outcome is not Outcome.DONE") in found
    assert ("not mine or tick.over", "not mine and tick.over") in found
    assert ("not mine", "mine") in found
    assert ("2", "3") in found
    assert ("True", "False") in found
    assert ("longest * (1 + fraction)", "longest // (1 + fraction)") in found
    assert ("min(tries, _DOUBLINGS_MAX)", "max(tries, _DOUBLINGS_MAX)") in found
    assert ("return int(longest * (1 + fraction) / 2)", "return None") in found
    assert ("tick.lists += len(lists)", "pass") in found
    assert ("tick.over", "not tick.over") in found


def test_two_effects_are_swapped_when_neither_needs_the_other() -> None:
    swaps = [each for name in modules() for each in changes(name) if "⏎" in each.before]

    assert len(swaps) > 20
    for each in swaps:
        first, second = (part.strip() for part in each.before.split("⏎")[1:])
        assert each.after.split("⏎")[1].strip() == second or len(each.before) == 160
        assert first != second


def test_what_is_only_logged_is_left_alone() -> None:
    assert [each for name in modules() for each in changes(name) if "_log." in each.before] == []


def test_a_change_acts_on_who_imported_the_function_by_name() -> None:
    def both() -> tuple[object, object]:
        plant(_change("onthedot.store.backoff", "return None"))
        return pause_ms(0, 0.0), backoff.pause_ms(0, 0.0)

    assert alone.answer(both, cpu_sec=20, wall_sec=60) == ((None, None), "")
    assert pause_ms(0, 0.0) == 25


def test_what_hangs_is_ended() -> None:
    def never() -> None:
        while True:
            pass

    assert alone.answer(never, cpu_sec=1, wall_sec=60) == (None, alone.HANGS)


def test_a_history_that_comes_to_the_change_shows_it() -> None:
    change = _change(_FIRING, "outcome is not Outcome.DONE", "_claim")
    played = known.play([_FIRING], range(1), ["calm"])

    tried = trial.tried(change, played)

    assert "'calm' seed 0" in tried.history
    assert tried.reaching == 1
    assert not tried.survived


def test_what_no_history_comes_to_is_shown_by_a_test() -> None:
    change = _change("onthedot.records.runs.overlap_gate", "return None", "enter")

    tried = trial.tried(change, known.Known())

    assert tried.reaching == 0
    assert tried.history == ""
    assert tried.test.startswith("tests/records/runs/test_overlap_gate.py")


def test_a_statement_knows_the_histories_that_come_to_it() -> None:
    played = known.play([_FIRING], range(1), ["calm", "poison"])

    assert played.broken == []
    assert set(played.by_point) <= points([_FIRING])
    claim = _change(_FIRING, "outcome is not Outcome.DONE", "_claim").at
    assert played.reaching(claim, 5) == [("calm", 0), ("poison", 0)]
    assert played.reaching(claim, 1) == [("calm", 0)]


def test_a_statement_behind_a_cache_is_reached_by_each_history_that_asks() -> None:
    stretches = "onthedot.schedule.dst_stretches"
    played = known.play([stretches], range(1), ["calm", "poison"])

    cut = _change(stretches, "place - 1", "stretches").at
    assert played.reaching(cut, 5) == [("calm", 0), ("poison", 0)]


def test_more_seeds_are_played_of_the_profiles_that_come_to_a_statement() -> None:
    played = known.play([_FIRING], range(1), ["calm", "poison"])
    claim = _change(_FIRING, "outcome is not Outcome.DONE", "_claim").at

    assert played.further(claim, 3) == [("calm", 1), ("poison", 1), ("calm", 2)]
    assert known.Known().further(claim, 3) == []


def test_the_nearest_tests_are_those_of_the_modules_own_name_and_then_its_users() -> None:
    assert (
        nearest("onthedot.records.runs.overlap_gate")[0]
        == "tests/records/runs/test_overlap_gate.py"
    )
    assert "tests/dispatch/test_dispatcher.py" in nearest(_FIRING)
    assert nearest("onthedot.work.worker")
    assert nearest("onthedot.registry.code_schedules")[0] == "tests/api/schedules/test_declared.py"
    assert "tests/schedule/test_schedule.py" in nearest("onthedot.schedule.slots")[:8]


def test_a_seed_draws_the_same_sample_twice() -> None:
    among = [_FIRING, "onthedot.records.runs.overlap_gate"]

    assert sample(9, 4, among) == sample(9, 4, among)
    assert sample(9, 4, among) != sample(9, 5, among)


def test_what_changes_nothing_is_still_a_change_of_the_code_and_has_its_reason() -> None:
    found = {each for name in modules() for each in changes(name)}

    assert [each for each in EQUIVALENT if not any(each.is_of(one) for one in found)] == []
    assert [each for each in EQUIVALENT if len(each.reason.split()) < 4] == []


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert interval(9, 10) == pytest.approx((0.596, 0.982), abs=0.001)
    assert interval(0, 0) == (0.0, 1.0)
    assert interval(600, 600)[1] == pytest.approx(1.0)


def _change(module: str, after: str, within: str = "") -> Change:
    return next(
        each for each in changes(module) if each.after == after and within in each.at.function
    )
