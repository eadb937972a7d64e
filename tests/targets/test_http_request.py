"""What a receiver is told, how it can trust it, and that its connection is used again."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done
from onthedot.targets.call import Call
from onthedot.targets.http import http_target, secrets, signatures
from onthedot.work.target_call import deliver
from tests.targets.receiver import Got, Receiver, call_fields

OLD, NEW = (f"whsec_{base64.b64encode(text).decode()}" for text in (b"o" * 24, b"n" * 24))
RUN_ID = "sch_A.20261118T120000Z"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Secrets by their references."""
    kept: dict[str, str] = {}
    monkeypatch.setattr(secrets, "reveal", lambda ref: kept[ref])
    return kept


def sent(receiver: Receiver, path: str = "/ok", **target: Any) -> Got:  # noqa: ANN401 any field
    """Returns what the receiver got of one call."""
    answer = called(receiver, path, **target)

    assert isinstance(answer, Done), answer
    return receiver.got[-1]


def called(receiver: Receiver, path: str, **target: Any) -> Answer:  # noqa: ANN401 any field
    """Calls the receiver; `call` has fields of the call itself."""
    given = target.pop("call", {})
    asked = {"type": "http", "url": receiver.url + path, **target}
    return deliver(Call(**call_fields(target=asked, deadline_ms=clock.now_ms() + 30_000) | given))


def test_the_run_is_named_in_the_headers_alike_in_every_attempt(receiver: Receiver) -> None:
    first = sent(receiver)
    again = sent(receiver, call={"attempt": 3})

    assert first.headers["webhook-id"] == first.headers["idempotency-key"] == RUN_ID
    assert first.headers["onthedot-attempt"] == "2/5"
    assert again.headers["onthedot-attempt"] == "3/5"
    assert first.headers["onthedot-scheduled-for"] == "2026-11-18T12:00:00Z"
    assert first.headers["onthedot-due-at"] == "2026-11-18T12:00:00.000Z"
    assert abs(int(first.headers["webhook-timestamp"]) - clock.now_ms() // 1000) <= 2
    assert again.headers["webhook-id"] == RUN_ID
    trace, span = (each.headers["traceparent"].split("-")[1:3] for each in (first, again))
    assert trace[0] == span[0]
    assert trace[1] != span[1]


def test_a_run_without_a_slot_names_none(receiver: Receiver) -> None:
    assert "onthedot-scheduled-for" not in sent(receiver, call={"scheduled_for": None}).headers


def test_the_payload_is_the_body_unless_the_task_says_otherwise(receiver: Receiver) -> None:
    got = sent(receiver)

    assert (got.method, json.loads(got.body)) == ("POST", {"order": 77})
    assert got.headers["content-type"] == "application/json"


def test_a_body_may_be_a_template_of_the_runs_own_fields(receiver: Receiver) -> None:
    template = "order {{payload.order}} of {{ name }}, {{{{not}}, {{unknown}}, {{attempt}}"
    got = sent(receiver, body=template)

    assert got.body == b"order 77 of nightly, {{not}}, {{unknown}}, 2"


def test_a_body_may_be_a_cloudevent(receiver: Receiver) -> None:
    got = sent(receiver, body="cloudevent")

    assert got.headers["content-type"] == "application/cloudevents+json"
    assert json.loads(got.body) == {
        "specversion": "1.0",
        "id": RUN_ID,
        "source": "/tenants/acme/tasks/sch_A",
        "type": "onthedot.run.v1",
        "subject": "nightly",
        "time": "2026-11-18T12:00:00.000Z",
        "datacontenttype": "application/json",
        "data": {"order": 77},
    }


def test_method_and_headers_are_the_tasks(receiver: Receiver) -> None:
    put = sent(receiver, method="PUT", headers={"X-Team": "billing"})
    got = sent(receiver, method="get")

    assert (put.method, put.headers["x-team"]) == ("PUT", "billing")
    assert (got.method, got.body) == ("GET", b"")
    assert "content-type" not in got.headers


def test_one_that_calls_back_later_is_not_waited_for(receiver: Receiver) -> None:
    given = call_fields(deadline_ms=86_400_000)
    target = {"url": receiver.url, "complete": "callback"}

    patient = http_target.request(Call(**given | {"target": {"url": "x"}}), {}, now_ms=0)
    soon = http_target.request(Call(**given | {"target": target}), {}, now_ms=0)

    assert (patient.patience_sec, soon.patience_sec) == (86_400, 30)


def test_a_header_that_would_be_two_is_not_sent(receiver: Receiver) -> None:
    plain = called(receiver, "/ok", headers={"x-team": "a\r\nx-admin: yes"})
    filled = called(
        receiver,
        "/ok",
        headers={"x-team": "{{payload.team}}"},
        call={"payload": {"team": "a\r\nx-admin: yes"}},
    )

    for answer in (plain, filled):
        assert isinstance(answer, Dead)
        assert answer.reason == "permanent"
        assert "yes" not in repr(answer)
    assert receiver.got == []


def test_url_and_headers_may_name_the_runs_own_fields(receiver: Receiver) -> None:
    got = sent(
        receiver,
        "/ok/{{run_id}}/{{payload.order}}/{{name}}",
        headers={"X-Attempt": "{{attempt}} of {{name}}"},
        call={"payload": {"order": "7 & 8/9"}},
        method="GET",
    )

    assert got.path == f"/ok/{RUN_ID}/7%20%26%208%2F9/nightly"
    assert got.headers["x-attempt"] == "2 of nightly"


def test_the_name_of_the_receiver_is_the_urls(receiver: Receiver) -> None:
    got = sent(receiver, headers={"Host": "elsewhere.example"})

    assert got.headers["host"] == receiver.url.removeprefix("http://")


def test_a_body_that_would_be_150_mb_is_dead_and_is_never_made(receiver: Receiver) -> None:
    tracemalloc.start()
    try:
        answer = called(
            receiver,
            "/ok",
            body="{{payload.a}}" * 5_000,
            call={"payload": {"a": "x" * 30_000}},
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert isinstance(answer, Dead)
    assert answer.reason == "permanent"
    assert answer.error is not None
    assert answer.error["type"] == "TemplateTooLarge"
    assert "more than 1,000,000 bytes" in answer.error["message"]
    assert peak < 10_000_000
    assert receiver.got == []


def test_payload_body_headers_and_url_share_one_room(receiver: Receiver) -> None:
    name = "n" * 300_000
    given = {"name": name, "payload": {"again": "{{name}}"}}

    fits = called(receiver, "/ok", body="{{payload.again}}", call=given)
    beyond = called(
        receiver,
        "/ok/{{attempt}}",
        body="{{payload.again}}{{payload.again}}",
        headers={"x-name": "{{name}}"},
        call=given,
    )

    assert isinstance(fits, Done)
    assert isinstance(beyond, Dead)
    assert len(receiver.got) == 1


def test_a_signature_can_be_checked_with_the_old_and_with_the_new_secret(
    receiver: Receiver, known: dict[str, str]
) -> None:
    known["ssm:/hook"] = f"{NEW} {OLD}"

    got = sent(receiver, sign={"secret_ref": "ssm:/hook"})

    assert _verified(got, OLD)
    assert _verified(got, NEW)
    assert not _verified(got, f"whsec_{base64.b64encode(b'x' * 24).decode()}")


def _verified(got: Got, secret: str) -> bool:
    """As the receiver does it by the text of Standard Webhooks, with code of its own."""
    key = base64.b64decode(secret.split("_", 1)[1])
    head = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}."
    mine = base64.b64encode(hmac.digest(key, head.encode() + got.body, hashlib.sha256)).decode()
    return f"v1,{mine}" in got.headers["webhook-signature"].split(" ")


@pytest.mark.parametrize("secret", ["", "whsec_no base64!", "  "])
def test_a_signing_secret_of_another_form_is_refused_without_showing_it(secret: str) -> None:
    with pytest.raises(signatures.BadSecret) as refused:
        signatures.keys(secret)

    assert not secret.strip() or secret not in str(refused.value)


@pytest.mark.parametrize(
    ("secret", "header"),
    [
        ("abc", "Bearer abc"),
        ("Basic dXNlcg==", "Basic dXNlcg=="),
        # As an editor leaves it.
        ("Basic dXNlcg==\n", "Basic dXNlcg=="),
    ],
)
def test_a_credential_is_sent_as_its_scheme_wants(
    receiver: Receiver, known: dict[str, str], secret: str, header: str
) -> None:
    known["ssm:/auth"] = secret

    assert sent(receiver, auth={"secret_ref": "ssm:/auth"}).headers["authorization"] == header


def test_a_credential_does_not_follow_a_redirect_to_another_site(
    receiver: Receiver, known: dict[str, str]
) -> None:
    known["ssm:/auth"] = "abc"
    elsewhere = receiver.url.replace("127.0.0.1", "localhost")
    target = {"auth": {"secret_ref": "ssm:/auth"}, "follow_redirects": True}

    at_home = sent(receiver, "/redirect?code=307&to=/ok", **target)
    away = sent(receiver, f"/redirect?code=307&to={elsewhere}/ok", **target)

    assert at_home.headers["authorization"] == "Bearer abc"
    assert "authorization" not in away.headers
    assert json.loads(away.body) == {"order": 77}


def test_a_secret_shows_up_in_no_answer(receiver: Receiver, known: dict[str, str]) -> None:
    known["ssm:/auth"] = "hunter2"
    target = {"auth": {"secret_ref": "ssm:/auth"}}

    paths = ("/reset", "/status?code=500", "/nonsense", "/echo", "/echo?code=500")
    answers = [called(receiver, path, **target) for path in paths]

    assert "hunter2" not in repr(answers)
    assert "Bearer [hidden]" in repr(answers[3:])


@pytest.mark.parametrize(
    "secret", ["hunter2\nmore", "hunter2\r\nx-admin: yes", "hunter2\u20ac", " "]
)
def test_a_secret_that_is_no_header_is_not_sent_and_not_shown(
    receiver: Receiver, known: dict[str, str], secret: str
) -> None:
    known["ssm:/auth"] = secret

    answer = called(receiver, "/ok", auth={"secret_ref": "ssm:/auth"})

    assert isinstance(answer, Again)
    assert "hunter2" not in repr(answer)
    assert answer.error is not None
    assert answer.error["type"] == "BadSecret"
    assert receiver.got == []


def test_one_connection_serves_call_after_call(receiver: Receiver) -> None:
    ports = {sent(receiver).port for _ in range(20)}

    assert len(ports) == 1


def test_no_more_connections_are_made_than_are_used_at_once(receiver: Receiver) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: sent(receiver), range(80)))

    assert len({got.port for got in receiver.got}) <= 4


def test_a_connection_that_was_closed_meanwhile_costs_no_attempt(receiver: Receiver) -> None:
    sent(receiver, "/close-after")
    sent(receiver, "/close-after")

    assert len({got.port for got in receiver.got}) == 2


def test_a_connection_with_an_answer_half_read_is_not_used_again(receiver: Receiver) -> None:
    sent(receiver, "/big")
    sent(receiver, "/ok")

    assert len({got.port for got in receiver.got}) == 2
