"""A zone is cut into stretches by the policy: holes where walls repeat, seams where they lack."""

from __future__ import annotations

import pytest

from onthedot.schedule.dst_stretches import Policy, Seam, Stretches, stretches
from onthedot.schedule.time.instants import parse_nominal

_EST, _EDT = -5 * 3_600, -4 * 3_600
_ON, _BACK = parse_nominal("2026-03-08T07:00:00Z"), parse_nominal("2026-11-01T06:00:00Z")
_OUT = parse_nominal("2027-03-14T07:00:00Z")
_HOUR = 3_600
_APIA = parse_nominal("2011-12-30T10:00:00Z")
# From 11 to 8 hours ahead of UTC: three hours, and that is still a change that counts.
_CASEY = parse_nominal("2010-03-04T15:00:00Z")


def _cut(
    name: str, policy: Policy, first: int, last: int
) -> list[tuple[int, int, int, Seam | None]]:
    """Returns the stretches that begin between two instants, or hold the first of them."""
    cut: Stretches = stretches(name, policy)
    every = zip(cut.starts, cut.ends, cut.offsets, cut.seams, strict=True)
    return [each for each in every if each[1] > first and each[0] <= last]


@pytest.mark.parametrize("gap", ["fire", "shift"])
def test_the_walls_that_a_jump_leaves_out_stand_at_its_seam(gap: str) -> None:
    _, seam, summer = _cut("America/New_York", Policy(gap=gap), _ON - 1, _BACK - 1)

    walls = _ON + _EST
    assert seam == (_ON, _ON + _HOUR, _EDT, Seam(walls, walls + _HOUR, gap == "shift", _EST))
    assert summer == (_ON + _HOUR, _BACK, _EDT, None)


@pytest.mark.parametrize("overlap", ["first", "last", "both"])
def test_what_is_skipped_leaves_no_seam(overlap: str) -> None:
    winter, summer = _cut(
        "America/New_York", Policy(gap="skip", overlap=overlap), _ON - 1, _BACK - 3 * _HOUR
    )

    assert winter[1:] == (_ON, _EST, None)
    assert summer[0] == _ON


def test_the_pass_that_does_not_count_is_a_hole() -> None:
    around = _BACK - 3 * _HOUR, _BACK + 3 * _HOUR
    zone = "America/New_York"
    first = _cut(zone, Policy(gap="skip", overlap="first"), *around)
    last = _cut(zone, Policy(gap="skip", overlap="last"), *around)
    both = _cut(zone, Policy(gap="skip", overlap="both"), *around)

    assert [(one[0], one[1]) for one in first] == [(_ON, _BACK), (_BACK + _HOUR, _OUT)]
    assert [(one[0], one[1]) for one in last] == [(_ON, _BACK - _HOUR), (_BACK, _OUT)]
    assert [(one[0], one[1]) for one in both] == [(_ON, _BACK), (_BACK, _OUT)]


@pytest.mark.parametrize("gap", ["fire", "skip"])
@pytest.mark.parametrize("overlap", ["first", "last"])
def test_elapsed_time_is_cut_by_no_policy(gap: str, overlap: str) -> None:
    cut = _cut("America/New_York", Policy(elapsed=True, gap=gap, overlap=overlap), _ON - 1, _BACK)

    assert [each[1:] for each in cut] == [
        (_ON, _EST, None),
        (_BACK, _EDT, None),
        (_OUT, _EST, None),
    ]


def test_more_than_three_hours_are_a_correction_and_three_are_a_change() -> None:
    before, after = _cut("Pacific/Apia", Policy(), _APIA - 1, _APIA)
    eleven, eight = _cut("Antarctica/Casey", Policy(), _CASEY - 1, _CASEY + 4 * _HOUR)

    assert (before[1], after[0], after[3]) == (_APIA, _APIA, None)
    assert (eleven[1], eight[0]) == (_CASEY, _CASEY + 3 * _HOUR)


def test_the_last_change_of_a_zone_ends_the_stretch_before_it() -> None:
    change = parse_nominal("1985-12-31T18:30:00Z")
    cut = stretches("Asia/Kathmandu", Policy(gap="skip"))

    assert list(cut.ends[-2:]) == [change, cut.ends[-1]]
    assert cut.starts[-1] == change
