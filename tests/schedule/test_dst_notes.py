"""A slot that a change of the clock moved, repeated or stands behind says so: rules 4 to 6, 11."""

from __future__ import annotations

import pytest

from onthedot.schedule.schedule import Schedule, compile_schedule
from onthedot.schedule.time.instants import nominal, parse_instant
from onthedot.schedule.words.dst_notes import note_of

NEW_YORK, LORD_HOWE, APIA = "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"
# Each of objects §7.
CODES = set(
    "dst_gap_moved dst_gap_shifted dst_overlap_first dst_overlap_last dst_overlap_second "
    "clock_corrected".split()
)
# Expression, zone, choices, after; the next slot, the code and the sentence of its note.
TABLE = [
    (
        ("30 2 * * *", NEW_YORK, {}, "2027-03-14T00:00:00Z"),
        ("2027-03-14T07:00:00Z", "dst_gap_moved"),
        "02:30 does not exist on this day; fires at 03:00 EDT.",
    ),
    (
        ("15,45 2 * * *", NEW_YORK, {}, "2027-03-14T00:00:00Z"),
        ("2027-03-14T07:00:00Z", "dst_gap_moved"),
        "02:15 does not exist on this day; fires at 03:00 EDT.",
    ),
    (
        ("20 30 2 * * *", NEW_YORK, {}, "2027-03-14T00:00:00Z"),
        ("2027-03-14T07:00:00Z", "dst_gap_moved"),
        "02:30:20 does not exist on this day; fires at 03:00 EDT.",
    ),
    (
        ("0 2,3 * * *", NEW_YORK, {}, "2027-03-14T00:00:00Z"),
        ("2027-03-14T07:00:00Z", "dst_gap_moved"),
        "02:00 does not exist on this day; fires at 03:00 EDT.",
    ),
    (
        ("30 2 * * *", NEW_YORK, {"dst_gap": "shift"}, "2027-03-14T00:00:00Z"),
        ("2027-03-14T07:30:00Z", "dst_gap_shifted"),
        "02:30 does not exist on this day; fires at 03:30 EDT.",
    ),
    (
        ("15 2 * * *", LORD_HOWE, {}, "2027-10-02T00:00:00Z"),
        ("2027-10-02T15:30:00Z", "dst_gap_moved"),
        "02:15 does not exist on this day; fires at 02:30 +11.",
    ),
    (
        ("15 0 * * *", "Asia/Beirut", {}, "2027-03-27T12:00:00Z"),
        ("2027-03-27T22:00:00Z", "dst_gap_moved"),
        "00:15 does not exist on this day; fires at 01:00 EEST.",
    ),
    (
        ("30 1 * * *", NEW_YORK, {}, "2027-11-07T00:00:00Z"),
        ("2027-11-07T05:30:00Z", "dst_overlap_first"),
        "01:30 comes twice on this day; fires at the first, EDT.",
    ),
    (
        ("30 1 * * *", NEW_YORK, {"dst_overlap": "last"}, "2027-11-07T00:00:00Z"),
        ("2027-11-07T06:30:00Z", "dst_overlap_last"),
        "01:30 comes twice on this day; fires at the second, EST.",
    ),
    (
        ("30 1 * * *", NEW_YORK, {"dst_overlap": "both"}, "2027-11-07T00:00:00Z"),
        ("2027-11-07T05:30:00Z", "dst_overlap_first"),
        "01:30 comes twice on this day; this is the first, EDT.",
    ),
    (
        ("30 1 * * *", NEW_YORK, {"dst_overlap": "both"}, "2027-11-07T05:30:00Z"),
        ("2027-11-07T06:30:00Z", "dst_overlap_second"),
        "01:30 comes twice on this day; this is the second, EST.",
    ),
    (
        ("*/30 * * * *", NEW_YORK, {}, "2027-11-07T05:30:00Z"),
        ("2027-11-07T06:00:00Z", "dst_overlap_second"),
        "01:00 comes twice on this day; this is the second, EST.",
    ),
    (
        ("0 0 * * *", APIA, {}, "2011-12-29T23:00:00Z"),
        ("2011-12-30T10:00:00Z", "clock_corrected"),
        "The clock was set forward by 24 h on this day; a correction: nothing is caught up.",
    ),
]
UNREMARKABLE = [
    ("30 2 * * *", NEW_YORK, {}, "2027-03-15T00:00:00Z"),
    ("30 2 * * *", NEW_YORK, {"dst_gap": "skip"}, "2027-03-14T00:00:00Z"),
    ("0 3 * * *", NEW_YORK, {}, "2027-03-14T00:00:00Z"),
    ("0 3 * * *", NEW_YORK, {"dst_gap": "shift"}, "2027-03-14T00:00:00Z"),
    ("59 1 * * *", NEW_YORK, {}, "2027-03-14T00:00:00Z"),
    ("*/15 * * * *", NEW_YORK, {}, "2027-03-14T06:45:00Z"),
    ("0 2 * * *", NEW_YORK, {}, "2027-11-07T00:00:00Z"),
    ("59 0 * * *", NEW_YORK, {}, "2027-11-07T00:00:00Z"),
    ("30 1 * * *", "UTC", {}, "2027-11-07T00:00:00Z"),
    ("@every 1h", NEW_YORK, {}, "2027-11-07T05:00:00Z"),
    ("0 0 * * *", APIA, {}, "2011-12-31T00:00:00Z"),
    # The first slot after the correction, but long after it: "on this day" would be wrong.
    ("0 0 1 3 *", APIA, {}, "2011-12-29T00:00:00Z"),
]


def asked(text: str, zone: str, choices: dict[str, str], after: str) -> tuple[Schedule, int]:
    schedule = compile_schedule(text, timezone=zone, **choices)  # type: ignore[arg-type] # words only
    slot = schedule.next(parse_instant(after, "after"))
    assert slot is not None
    return schedule, slot


@pytest.mark.parametrize(("case", "expected", "sentence"), TABLE)
def test_a_slot_touched_by_a_change_says_what_happened(
    case: tuple[str, str, dict[str, str], str], expected: tuple[str, str], sentence: str
) -> None:
    schedule, slot = asked(*case)
    note = note_of(schedule, slot)

    assert note is not None
    assert (nominal(slot), note.code) == expected
    assert note.sentence == sentence


def test_every_code_of_the_vocabulary_is_among_them() -> None:
    assert {code for _, (_, code), _ in TABLE} == CODES


@pytest.mark.parametrize("case", UNREMARKABLE)
def test_a_slot_that_no_change_touches_says_nothing(
    case: tuple[str, str, dict[str, str], str],
) -> None:
    schedule, slot = asked(*case)

    assert note_of(schedule, slot) is None


def test_an_hour_that_comes_twice_is_told_of_both_its_passes_and_no_further() -> None:
    schedule, slot = asked("*/15 * * * *", NEW_YORK, {}, "2027-11-07T04:30:00Z")
    codes = []
    for _ in range(10):
        note = note_of(schedule, slot)
        codes.append(note and note.code)
        slot = schedule.next(slot) or 0

    assert codes == [None, *["dst_overlap_first"] * 4, *["dst_overlap_second"] * 4, None]
