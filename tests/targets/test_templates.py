"""What templates give: the named fields, in their places, and never more than a call may carry."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.targets import filled_templates
from onthedot.targets.templates import BYTES_MAX, Room, TooLarge, Unfit, rendered, text
from tests.schedule.samples import law

MB = 1_000_000
FIELDS: dict[str, Any] = {
    "run_id": "sch_A.20261118T120000Z",
    "name": "nightly",
    "attempt": 2,
    "payload": {"order": "a/b?c=d&e #é", "line": "x\r\nX-Admin: yes", "up": "..", "n": None},
}


def test_a_long_value_in_many_places_is_never_put_together() -> None:
    template = "{{payload.a}}" * 5_000
    fields = {"payload": {"a": "x" * 30_000}}
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match="more than 1,000,000 bytes"):
            text(template, fields, Room())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 3 * MB


def test_the_room_is_one_for_all_texts_of_a_call() -> None:
    room = Room()
    fields = {"name": "n" * 400_000}

    rendered({"a": "{{name}}", "b": ["{{name}}"], "c": "plain" * 50_000}, fields, room)

    assert room.left == BYTES_MAX - 800_000
    with pytest.raises(TooLarge):
        text("{{name}}", fields, room)


@pytest.mark.parametrize("letter", ["x", "é", "😀", "\u0000", '"', "\ud800"])
def test_what_is_let_through_is_small_when_it_is_written(letter: str) -> None:
    fields = {"name": letter * 10_000}
    template = "{{name}}" * 90

    try:
        as_json = len(json.dumps(rendered(template, fields, Room())))
    except TooLarge:
        as_json = 0
    try:
        as_text = len(text(template, fields, Room()).encode("utf-8", "replace"))
    except TooLarge:
        as_text = 0

    assert as_json <= BYTES_MAX + 2
    assert as_text <= BYTES_MAX


@law
@given(st.text(), st.text(alphabet="{} payloadnmeruid._1"))
def test_what_names_nothing_stays_as_it_stands(value: str, template: str) -> None:
    assert text(template, {}, Room()) == template.replace("{{{{", "{{")
    assert text("{{name}}", {"name": value}, Room()) == value


@pytest.mark.parametrize(
    ("template", "url"),
    [
        ("https://a.com/{{run_id}}", "https://a.com/sch_A.20261118T120000Z"),
        ("https://a.com/o/{{payload.order}}/x", "https://a.com/o/a%2Fb%3Fc%3Dd%26e%20%23%C3%A9/x"),
        ("https://a.com?o={{payload.order}}", "https://a.com?o=a%2Fb%3Fc%3Dd%26e%20%23%C3%A9"),
        ("https://a.com/{{payload.line}}", "https://a.com/x%0D%0AX-Admin%3A%20yes"),
        ("https://a.com/?n={{payload.n}}&t={{attempt}}", "https://a.com/?n=&t=2"),
        ("https://a.com/{{{{name}}", "https://a.com/%7B%7Bname}}"),
        ("https://a.com/{{unknown}}", "https://a.com/{{unknown}}"),
        ("https://a.com/v{{payload.up}}", "https://a.com/v.."),
        ("https://a.com/../b", "https://a.com/../b"),
        ("https://a.com/", "https://a.com/"),
    ],
)
def test_a_value_stays_in_its_place_of_the_url(template: str, url: str) -> None:
    assert filled_templates.url(template, FIELDS, Room()) == url


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{payload}}/b", ".."),
        ("{{payload}}/b", "."),
        (".{{payload}}/b", "."),
        ("%2e{{payload}}", "."),
        ("{{payload}}", "../admin"),
        ("{{payload}}", "x/../../admin"),
        ("{{payload}}", "..\\admin"),
    ],
)
def test_a_value_does_not_lead_up_in_the_path(template: str, value: str) -> None:
    with pytest.raises(Unfit, match="lead elsewhere"):
        filled_templates.url(f"https://a.com/a/{template}", {"payload": value}, Room())


@pytest.mark.parametrize("value", ["a..b", "...", "..a", "%2e%2e", "a/b.c"])
def test_dots_that_lead_nowhere_are_sent(value: str) -> None:
    sent = filled_templates.url("https://a.com/{{payload}}", {"payload": value}, Room())

    assert unquote(sent) == f"https://a.com/{value}"


def test_a_header_is_filled_in() -> None:
    assert filled_templates.header("x-run", "{{run_id}} of {{ name }}", FIELDS, Room()) == (
        "sch_A.20261118T120000Z of nightly"
    )
    assert filled_templates.header("x-none", "{{payload.n}}", FIELDS, Room()) == ""


@pytest.mark.parametrize("bad", ["a\r\nb", "a\nb", "a\x00b", "a\x7fb", "a\tb", "é", "\u2028"])
def test_a_header_that_would_be_two_is_refused_without_its_value(bad: str) -> None:
    with pytest.raises(Unfit) as refused:
        filled_templates.header("x-team", "{{payload.v}}", {"payload": {"v": bad}}, Room())

    assert "'x-team'" in str(refused.value)
    assert bad not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    ["https://{{name}}.com/", "https://a.com:{{payload.p}}/", "{{name}}://a.com/", "https://{{x"],
)
def test_a_template_cannot_choose_who_is_called(url: str) -> None:
    assert filled_templates.place_has_template(url)
    assert not filled_templates.place_has_template("https://a.com/{{name}}?x={{name}}#{{name}}")
