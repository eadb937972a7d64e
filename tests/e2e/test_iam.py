"""Least privilege, enforced: MiniStack checks every call of a function against its role.

Only its own tables are guarded so: Dynoxide takes any key.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from onthedot.flows import keys
from onthedot.local import assembly, clients, cloud, emulator, ports
from onthedot.local.children import Children
from onthedot.local.folder import Folder
from onthedot.local.stack import variables
from tests.e2e.kit import Local
from tests.engines.place import surroundings

FUNCTIONS = ("Dispatch", "Work", "Bury", "Audit", "Api")
BATCHED = {"sqs:SendMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"}
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
        """The functions that cannot do their work."""
        working = {name: self._invoked(name) for name in FUNCTIONS if name != "Api"}
        working["Api"] = self._asked() == 200
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
        """An event as the queue's poller makes it, of a run that there is not."""
        arn = f"arn:aws:sqs:{clients.REGION}:{clients.ACCOUNT}:{queue_url.rpartition('/')[2]}"
        record = {
            "messageId": "1",
            "receiptHandle": "none",
            "body": PACK,
            "attributes": {"ApproximateReceiveCount": "1"},
            "eventSourceARN": arn,
        }
        return {"Records": [record]}

    def _asked(self) -> int:
        trusting = ssl.create_default_context(cafile=self.certificate)
        port = urlsplit(self.endpoint).port
        connection = HTTPSConnection("127.0.0.1", port, context=trusting, timeout=30)
        headers = {"host": urlsplit(self.outputs["Url"]).netloc}
        headers["authorization"] = f"Bearer {self.key}"
        connection.request("GET", "/v1/schedules", headers=headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def policies(self, name: str) -> list[dict[str, Any]]:
        """What a function was granted, as IAM takes it back."""
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
        """Take away all that a function was granted; give it back afterwards."""
        taken = self.policies(name)
        for each in taken:
            clients.client("iam", self.endpoint).delete_role_policy(
                RoleName=each["RoleName"], PolicyName=each["PolicyName"]
            )
        yield
        self.grant(taken)


def with_batches(policy: dict[str, Any]) -> dict[str, Any]:
    """MiniStack asks for actions that AWS does not have: there, a batch needs its single's."""
    statements = policy["PolicyDocument"]["Statement"]
    for statement in statements:
        actions = statement["Action"]
        single = [actions] if isinstance(actions, str) else actions
        statement["Action"] = [
            *single,
            *(f"{each}Batch" for each in single if each in BATCHED),
        ]
    return policy


@pytest.fixture(scope="module")
def guarded(local: Local, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """What the local stack has deployed, deployed once more behind TLS and IAM."""
    folder = Folder(tmp_path_factory.mktemp("guarded"))
    folder.empty_scratch()
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
            _, key = keys.make(tenant_id=keys.FIRST_TENANT, role="admin", name="iam")
            made = Guarded(endpoint, certificate, outputs, key)
            for name in FUNCTIONS:
                made.grant([with_batches(each) for each in made.policies(name)])
            yield made
    finally:
        children.end(process, patience_sec=2)


def test_with_what_the_stack_grants_every_function_works(guarded: Guarded) -> None:
    assert guarded.broken() == set()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_taking_away_what_was_granted_breaks_that_function_and_no_other(
    guarded: Guarded, name: str
) -> None:
    with guarded.without_policies(name):
        broken = guarded.broken()

    assert broken == {name}
