"""Users' patterns: found or not within milliseconds, whatever is looked for in whatever."""

from __future__ import annotations

import time

import pytest

from onthedot.records.timings import HEARTBEAT_SEC
from onthedot.targets.http import patterns

TEXT_MAX = 65_536
# Each takes Python's own engine minutes at the least, or for ever; the last is RE2's own worst.
HOSTILE = ("(a+)+$", "(a|aa)*b", "(a*)*b", ".*.*.*.*.*=", "a*a*a*a*b", "(a?){500}a{500}b")


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_hostile_pattern_is_answered_before_a_lease_wants_extending(pattern: str) -> None:
    text = "a" * (TEXT_MAX - 1) + "!"
    began = time.process_time()

    assert not patterns.found(pattern, text)
    assert time.process_time() - began < HEARTBEAT_SEC / 2


@pytest.mark.parametrize(
    ("pattern", "text", "is_there"),
    [
        ('"done": ?true', '{"done":true}', True),
        ("^finished$", '{"done":true}', False),
        ("(?i)OK", "all ok", True),
        ("(?m)^second$", "first\nsecond", True),
        ("größe", "die größe", True),
        ("a.b", "a\nb", False),
    ],
)
def test_what_patterns_usually_say_is_understood(
    pattern: str, text: str, *, is_there: bool
) -> None:
    assert patterns.found(pattern, text) is is_there


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(", "missing )"),
        ("(?=a)", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        ("a{2000}", "invalid repetition size"),
        ("((a{100}){100}){100}", "invalid repetition size"),
        (".{999}" * 40, "pattern too large"),
    ],
)
def test_what_cannot_be_matched_so_is_refused_with_the_reason(pattern: str, said: str) -> None:
    assert said in str(patterns.mistake(pattern))


def test_a_pattern_without_a_mistake_has_none() -> None:
    assert patterns.mistake(r'"state":\s*"(ok|done)"') is None
