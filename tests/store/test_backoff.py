"""A busy store is asked again after pauses that grow up to half a second, and never alike."""

from __future__ import annotations

from onthedot.store.backoff import pause_ms


def test_pauses_double_from_a_twentieth_of_a_second_up_to_half_a_second() -> None:
    assert [pause_ms(tries, 1.0) for tries in range(6)] == [50, 100, 200, 400, 500, 500]
    assert pause_ms(10**6, 1.0) == 500


def test_a_pause_is_half_of_its_most_at_the_least() -> None:
    assert [pause_ms(tries, 0.0) for tries in range(6)] == [25, 50, 100, 200, 250, 250]
    assert [pause_ms(0, fraction) for fraction in (0.2, 0.5)] == [30, 37]
