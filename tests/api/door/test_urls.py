"""Where a target may be called, and what may not be written into its url and headers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.kit import Answer, Api


def registered(api: Api, **target: Any) -> Answer:
    given = {"type": "http", "url": "https://example.com/hook", **target}
    return api.call("POST /v1/schedules", {"name": "new", "cron": "0 9 * * *", "target": given})


def pointers(answer: Answer) -> list[str]:
    return [fault["pointer"] for fault in answer.body["errors"]]


@pytest.mark.parametrize(
    "url",
    [
        "https://example\x00.com/",
        "https://example.com/\x00",
        "https://example.com/a\nb",
        "https://exam\x7fple.com/",
        "https://exam\u200bple.com/",
        "https://b\u00fccher.example/",
        "https://example.com\\@internal/\t",
        "https://{{name}}.example.com/",
        "https://example.com:{{payload.port}}/",
        "https://{{payload.host}}/",
        "{{payload.scheme}}://example.com/",
    ],
)
def test_a_url_with_control_characters_or_a_template_in_its_place_is_refused(
    api: Api, url: str
) -> None:
    answer = registered(api, url=url)

    assert answer.status == 422
    assert pointers(answer) == ["/target/url"]


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/{{run_id}}/x?order={{payload.order}}",
        "https://example.com?{{payload.order}}",
        "https://example.com/{{{{name}}",
    ],
)
def test_a_template_may_stand_in_path_and_query(api: Api, url: str) -> None:
    assert registered(api, url=url).status == 201


@pytest.mark.parametrize(
    "name", ["Host", "host", "Authorization", "X-Api-Key", "X-Auth-Token", "Cookie", "My-Secret"]
)
def test_a_header_that_is_ours_or_looks_like_a_secret_takes_no_template(
    api: Api, name: str
) -> None:
    answer = registered(api, headers={name: "{{payload.token}}"})

    assert answer.status == 422
    assert pointers(answer) == [f"/target/headers/{name}"]


def test_other_headers_take_templates(api: Api) -> None:
    assert registered(api, headers={"X-Run": "{{run_id}} {{payload.team}}"}).status == 201


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_payload_that_is_not_sent_is_a_warning(api: Api, method: str) -> None:
    plain: dict[str, Any] = {"type": "http", "url": "https://example.com/hook", "method": method}
    named: dict[str, dict[str, Any]] = {
        "url": plain | {"url": "https://example.com/{{payload.a}}"},
        "header": plain | {"headers": {"X-A": "{{ payload.a }}"}},
    }

    def codes(name: str, target: dict[str, Any], **fields: Any) -> list[str]:
        shown = api.schedule(name, target=target, **fields)
        return [each["code"] for each in shown["warnings"]]

    assert codes("left", plain, payload={"a": 1}) == ["payload_unsent"]
    assert codes("none", plain) == []
    assert codes("post", plain | {"method": "POST"}, payload={"a": 1}) == []
    for name, target in named.items():
        assert codes(name, target, payload={"a": 1}) == []
    task = {"target": plain, "payload": {"a": 1}, "delay_sec": 500}
    made = api.call("POST /v1/tasks", task).body
    assert [each["code"] for each in made["warnings"]] == ["payload_unsent"]
