"""Declaring jobs: what the decorator keeps, and what it refuses with a clear sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from onthedot import Context, OnTheDot, cron, every
from onthedot.targets.python.handler import HandlerError, PayloadMismatch, arguments

app = OnTheDot("billing")


def test_a_decorated_function_is_still_called_as_it_was_written() -> None:
    @app.job()
    def double(number: int) -> int:
        return 2 * number

    assert double(21) == 42
    assert double.name == "double"
    assert double.declared == {}


def test_a_schedule_is_declared_in_the_words_of_the_api() -> None:
    @app.job(cron("0 9 * * 1-5", timezone="America/New_York"), overlap="skip", max_attempts=5)
    def report() -> None: ...

    assert report.declared == {
        "name": "report",
        "cron": "0 9 * * 1-5",
        "timezone": "America/New_York",
        "overlap": "skip",
        "max_attempts": 5,
        "target": {"type": "python", "handler": "report"},
        "managed_by": "code:billing",
    }


def test_an_interval_and_defaults_of_the_app_are_declared() -> None:
    patient = OnTheDot("patient", defaults={"timeout_sec": 800, "priority": 3})

    @patient.job(every(900), priority=1)
    def sweep() -> None: ...

    assert sweep.declared["every_sec"] == 900
    assert sweep.declared["timeout_sec"] == 800
    assert sweep.declared["priority"] == 1


@pytest.mark.parametrize(
    ("when", "fields", "said"),
    [
        (cron("0 25 * * *"), {}, "25"),
        (cron("0 9 * * *", timezone="EST"), {}, "EST"),
        (every(0), {}, "0"),
        (cron("0 9 31 2 *"), {}, "never"),
        (cron("0 9 * * *"), {"overlaps": "skip"}, "did you mean 'overlap'"),
        (cron("0 9 * * *", start_at="noon"), {}, "noon"),
        (None, {"overlap": "skip"}, "there is none"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused_by_name(
    when: Any,  # noqa: ANN401 a When, or none
    fields: dict[str, object],
    said: str,
) -> None:
    with pytest.raises(HandlerError) as refused:
        app.job(when, **fields)(lambda: None)  # type: ignore[arg-type] # any field, also a wrong one

    assert said in str(refused.value)


@pytest.mark.parametrize("name", ["", "sch_mine", "with space", "é", "a" * 201])
def test_a_name_that_no_task_could_call_is_refused(name: str) -> None:
    with pytest.raises(HandlerError):
        app.job(name=name or "-")(lambda: None)


@pytest.mark.parametrize("when", [lambda: None, "0 9 * * *", 900])
def test_a_decorator_without_its_parentheses_or_schedule_says_what_is_missing(when: Any) -> None:  # noqa: ANN401 anything but a schedule
    with pytest.raises(HandlerError, match=r"expected @app.job\(\)"):
        app.job(when)


def test_a_function_whose_call_would_do_nothing_is_refused() -> None:
    def rows() -> Iterator[int]:
        yield 1

    async def events() -> AsyncIterator[int]:
        yield 1

    for function in (rows, events):
        with pytest.raises(HandlerError, match="yields: a call of it would do nothing"):
            app.job()(function)


def test_a_handler_is_not_declared_a_second_time() -> None:
    @app.job(cron("0 9 * * *"))
    def report() -> None: ...

    with pytest.raises(HandlerError, match="is the handler 'report' already"):
        app.job(cron("0 18 * * *"), name="evening")(report)


def test_the_payload_is_given_by_the_names_of_the_parameters() -> None:
    @app.job()
    def charge(ctx: Context, customer: str, amount: int = 1) -> None: ...

    given = arguments(charge, "the context", {"customer": "acme"})

    assert given == {"ctx": "the context", "customer": "acme"}


def test_a_handler_that_asks_for_no_field_takes_any_payload() -> None:
    @app.job()
    def plain() -> None: ...

    @app.job()
    def with_context(ctx: Context) -> None: ...

    assert arguments(plain, "the context", [1, 2]) == {}
    assert arguments(with_context, "the context", {"any": 1}) == {"ctx": "the context"}


@pytest.mark.parametrize("payload", [[1], {}, {"customer": "a", "more": 1}, {"ctx": 1}])
def test_a_payload_that_does_not_fit_is_a_mismatch(payload: object) -> None:
    @app.job()
    def charge(ctx: Context, customer: str) -> None: ...

    with pytest.raises(PayloadMismatch):
        arguments(charge, "the context", payload)
