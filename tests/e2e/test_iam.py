"""Least privilege, enforced: MiniStack checks every call of a function against its role.

Only its own tables are guarded so: Dynoxide takes any key.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from onthedot.local import assembly, clients, cloud, emulator, ports
from onthedot.local.children import Children
from onthedot.local.folder import Folder
from onthedot.local.stack import variables
from onthedot.registry import api_keys
from onthedot.schedule.time.instants import nominal
from tests.e2e.kit import HELLO, Local, until
from tests.engines.place import surroundings

# Too large for a row: it lies in the bucket.
LARGE = "x" * 100_000
DAILY: dict[str, object] = {"cron": "0 0 * * *", "target": HELLO}
FUNCTIONS = ("Dispatch", "Work", "Bury", "Audit", "Api")
# What MiniStack asks for, and AWS does not have: there a batch is allowed as what it is made of.
BATCHES = {
    "sqs:SendMessage": "sqs:SendMessageBatch",
    "sqs:DeleteMessage": "sqs:DeleteMessageBatch",
    "sqs:ChangeMessageVisibility": "sqs:ChangeMessageVisibilityBatch",
}
# Of these it does not see which tables they touch.
STATEMENTS = {
    "dynamodb:PartiQLInsert": "dynamodb:BatchExecuteStatement",
}
PACK = json.dumps(
    {
        "v": 1,
        "due_ms": 0,
        "why": "start",
        "runs": [{"run_id": "sch_none.20261118T140000Z", "attempt": 1, "tv": 1}],
    }
)


@dataclass(frozen=True, slots=True)
class Guarded:
    """A stack whose functions may do what they were granted, and nothing else."""

    endpoint: str
    certificate: str
    outputs: Mapping[str, str]
    key: str

    def broken(self) -> set[str]:
        """Returns the functions that cannot do their work."""
        working = {name: self._invoked(name) for name in FUNCTIONS if name != "Api"}
        working["Api"] = self.ask("GET", "/v1/schedules")[0] == 200
        return {name for name, works in working.items() if not works}

    def _invoked(self, name: str) -> bool:
        queue = {"Work": "NormalQueueUrl", "Bury": "DeadQueueUrl"}.get(name)
        event = self._message(self.outputs[queue]) if queue else {}
        answer = clients.client("lambda", self.endpoint).invoke(
            FunctionName=self.outputs[f"{name}Function"], Payload=json.dumps(event)
        )
        said = answer["Payload"].read().decode()
        assert "FunctionError" not in answer or "AccessDenied" in said, said
        return "FunctionError" not in answer

    def _message(self, queue_url: str) -> dict[str, Any]:
        """Returns an event as the queue's poller makes it, of a run that there is not."""
        arn = f"arn:aws:sqs:{clients.REGION}:{clients.ACCOUNT}:{queue_url.rpartition('/')[2]}"
        record = {
            "messageId": "1",
            "receiptHandle": "none",
            "body": PACK,
            "attributes": {"ApproximateReceiveCount": "1"},
            "eventSourceARN": arn,
        }
        return {"Records": [record]}

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Asks the API; gives the answer's status and body."""
        trusting = ssl.create_default_context(cafile=self.certificate)
        port = urlsplit(self.endpoint).port
        connection = HTTPSConnection("127.0.0.1", port, context=trusting, timeout=30)
        headers = {"host": urlsplit(self.outputs["Url"]).netloc}
        headers["authorization"] = f"Bearer {self.key}"
        headers |= {"content-type": "application/json", "if-match": "*"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, json.loads(content) if content else None

    def done(self, method: str, path: str, body: object = None) -> Any:
        """Asks for what must be granted."""
        status, answer = self.ask(method, path, body)
        assert status < 300, (method, path, answer, self.errors())
        return answer

    def errors(self) -> list[str]:
        """Returns what the functions' logs say went wrong."""
        logs = clients.client("logs", self.endpoint)
        groups = logs.describe_log_groups()["logGroups"]
        return [
            event["message"]
            for group in (each["logGroupName"] for each in groups)
            for stream in logs.describe_log_streams(logGroupName=group)["logStreams"]
            for event in logs.get_log_events(
                logGroupName=group, logStreamName=stream["logStreamName"]
            )["events"]
            if "Error" in event["message"]
        ]

    def planned(self, path: str, body: object, runs: int) -> Any:
        """Asks for a plan of so many runs, and has it carried out."""
        plan = until(
            lambda: self.done("POST", path, body), lambda plan: plan["effects"]["runs"] == runs
        )
        return self.done("POST", f"{path}?plan_token={plan['plan_token']}", body)

    def run(self, run_id: str, status: str) -> Any:
        """Waits until a run has that status."""
        return until(
            lambda: self.done("GET", f"/v1/runs/{run_id}"),
            lambda run: run["status"] == status,
            within_sec=60,
        )

    def replayed(self, run_id: str) -> str:
        """Waits until a dead run has been replayed, and gives the new one."""
        return str(until(lambda: self.done("GET", f"/v1/runs/{run_id}")["replayed_as"], bool))

    def audited(self) -> None:
        """Lets the audit pass: it carries on what takes many steps."""
        assert self._invoked("Audit")

    def policies(self, name: str) -> list[dict[str, Any]]:
        """Returns what a function was granted, as IAM takes it back."""
        iam = clients.client("iam", self.endpoint)
        config = clients.client("lambda", self.endpoint).get_function_configuration(
            FunctionName=self.outputs[f"{name}Function"]
        )
        role = {"RoleName": config["Role"].rpartition("/")[2]}
        names = iam.list_role_policies(**role)["PolicyNames"]
        granted = [iam.get_role_policy(**role, PolicyName=each) for each in names]
        wanted = ("RoleName", "PolicyName", "PolicyDocument")
        return [{each: policy[each] for each in wanted} for policy in granted]

    def grant(self, policies: Sequence[dict[str, Any]]) -> None:
        iam = clients.client("iam", self.endpoint)
        for each in policies:
            iam.put_role_policy(**each | {"PolicyDocument": json.dumps(each["PolicyDocument"])})

    @contextmanager
    def without_policies(self, name: str) -> Iterator[None]:
        """Takes away all that a function was granted; gives it back afterwards."""
        taken = self.policies(name)
        for each in taken:
            clients.client("iam", self.endpoint).delete_role_policy(
                RoleName=each["RoleName"], PolicyName=each["PolicyName"]
            )
        yield
        self.grant(taken)


def with_batches(policy: dict[str, Any]) -> dict[str, Any]:
    """Allow batches of what is allowed singly, and what the emulator cannot judge."""
    statements = policy["PolicyDocument"]["Statement"]
    for statement in statements[:]:
        actions = statement["Action"]
        single = [actions] if isinstance(actions, str) else actions
        # On AWS each of these requests has its key among the conditions'; here none has.
        statement.get("Condition", {}).pop("Null", None)
        statement["Action"] = [*single, *(BATCHES[each] for each in single if each in BATCHES)]
        if several := [STATEMENTS[each] for each in single if each in STATEMENTS]:
            statements.append({"Effect": "Allow", "Action": several, "Resource": "*"})
    return policy


@pytest.fixture(scope="module")
def guarded(local: Local, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Yields what the local stack has deployed, deployed once more behind TLS and IAM."""
    folder = Folder(tmp_path_factory.mktemp("guarded"))
    folder.clear()
    children, port = Children(folder.children), ports.free()
    endpoint = f"https://127.0.0.1:{port}"
    process = emulator.start(folder, children, port, {"AUTH": "true", "USE_SSL": "1"})
    try:
        with pytest.MonkeyPatch.context() as settings, surroundings(settings):
            certificate = str(folder.scratch / "ministack-tls/server.crt")
            settings.setenv("AWS_CA_BUNDLE", certificate)
            settings.setenv("AWS_ENDPOINT_URL", endpoint)
            assembly.create(local.stack.folder.assembly, cloud.STACK, endpoint)
            outputs = cloud.outputs(endpoint)
            for name, value in variables(outputs).items():
                settings.setenv(name, value)
            _, key = api_keys.make(tenant_id=api_keys.FIRST_TENANT, role="admin", name="iam")
            made = Guarded(endpoint, certificate, outputs, key)
            for name in FUNCTIONS:
                made.grant([with_batches(each) for each in made.policies(name)])
            yield made
    finally:
        children.end(process, patience_sec=2)


def test_with_what_the_stack_grants_every_function_works(guarded: Guarded) -> None:
    assert guarded.broken() == set()


def test_what_is_granted_suffices_for_runs_with_large_payloads_and_for_their_dead_letters(
    guarded: Guarded,
) -> None:
    large = {"payload": {"who": LARGE}, **DAILY}
    greets = guarded.done("POST", "/v1/schedules", {"name": "greets", **large})["task_id"]
    dies = {"payload": {"who": LARGE, "nobody": 1}, "max_attempts": 1, "overlap": "queue", **DAILY}
    fails = guarded.done("POST", "/v1/schedules", {"name": "fails", **dies})["task_id"]

    greeted, *died = (
        guarded.done("POST", f"/v1/schedules/{task}/trigger", {})["run_id"]
        for task in (greets, fails, fails)
    )
    assert guarded.run(greeted, "succeeded")["payload"] == {"who": LARGE}
    for each in died:
        guarded.run(each, "dead")
    assert guarded.done("GET", "/v1/dead-letters/groups")["data"][0]["count"] == 2
    patched = {"task_id": fails, "payload_patch": {"nobody": None}}
    guarded.planned("/v1/dead-letters/replay", patched, runs=2)
    guarded.audited()
    for each in died:
        again = guarded.replayed(each)
        assert guarded.run(again, "succeeded")["payload"] == {"who": LARGE}

    guarded.run(guarded.done("POST", f"/v1/schedules/{fails}/trigger", {})["run_id"], "dead")
    guarded.planned("/v1/dead-letters/purge", {"task_id": fails}, runs=1)
    guarded.audited()
    until(lambda: guarded.done("GET", "/v1/dead-letters")["data"], lambda left: left == [])


def test_what_is_granted_suffices_for_backfills_calendars_and_all_that_is_shown(
    guarded: Guarded,
) -> None:
    guarded.done("POST", "/v1/calendars", {"calendar_id": "days", "dates": ["2030-12-25"]})
    wanted = {"name": "filled", "payload": {"who": LARGE}, "calendars": ["days"], **DAILY}
    task = f"/v1/schedules/{guarded.done('POST', '/v1/schedules', wanted)['task_id']}"
    guarded.done("PUT", "/v1/calendars/days", {"dates": ["2030-12-24"]})
    now = int(time.time())
    span = {"from": nominal(now - 3 * 86_400), "to": nominal(now)}
    guarded.planned(f"{task}/backfills", span, runs=3)
    guarded.audited()
    until(
        lambda: [run["status"] for run in guarded.done("GET", f"{task}/runs")["data"]],
        lambda seen: seen == ["succeeded"] * 3,
        within_sec=60,
    )

    guarded.done("POST", f"{task}/pause", {"until": nominal(now + 86_400)})
    guarded.done("POST", f"{task}/resume", {})
    for shown in ("runs", "runs?status=dead", "overview", "upcoming", "upcoming/heat", "audit"):
        guarded.done("GET", f"/v1/{shown}")
    guarded.done("PUT", "/v1/tenants/acme", {"tasks_max": 10})
    guarded.done("POST", "/v1/tenants/acme/keys", {"name": "theirs", "role": "admin"})
    assert "acme" in [each["tenant_id"] for each in guarded.done("GET", "/v1/tenants")["data"]]
    guarded.done("DELETE", task)
    guarded.done("DELETE", "/v1/calendars/days")


def test_what_is_granted_suffices_for_workers_that_fetch_their_runs(guarded: Guarded) -> None:
    wanted = {"name": "fetched", **DAILY, "target": {"type": "pull", "queue": "theirs"}}
    task_id = guarded.done("POST", "/v1/schedules", wanted)["task_id"]
    run_id = guarded.done("POST", f"/v1/schedules/{task_id}/trigger", {})["run_id"]

    (lease,) = guarded.done("POST", "/v1/leases", {"queue": "theirs"})["data"]
    attempt = {"attempt": lease["attempt"]}
    guarded.done("POST", f"/v1/runs/{run_id}/heartbeat", attempt)
    guarded.done("POST", f"/v1/runs/{run_id}/complete", {**attempt, "result": {"done": True}})

    assert guarded.run(run_id, "succeeded")["result"] == {"done": True}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_taking_away_what_was_granted_breaks_that_function_and_no_other(
    guarded: Guarded, name: str
) -> None:
    with guarded.without_policies(name):
        broken = guarded.broken()

    assert broken == {name}
