"""Each function may do what its flow does, to what it does it to, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from infra.settings import Settings
from tests.infra import deployed
from tests.tidy.tree import ROOT

TARGETS = (
    "arn:aws:sqs:eu-west-1:111122223333:orders",
    "arn:aws:states:eu-west-1:111122223333:stateMachine:nightly",
)


def statements(function: str, template: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Returns what a function's role allows, whichever policy says it."""
    found = (template or deployed.template())["Resources"]
    return [
        statement
        for each in found.values()
        if each["Type"] == "AWS::IAM::Policy"
        and any(
            role["Ref"].startswith(f"Functions{function}") for role in each["Properties"]["Roles"]
        )
        for statement in each["Properties"]["PolicyDocument"]["Statement"]
    ]


def listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def actions(function: str) -> set[str]:
    return {action for each in statements(function) for action in listed(each["Action"])}


def touched(function: str, service: str) -> set[str]:
    """Returns logical ids of what a function's statements of a service name."""
    named = [
        str(each["Resource"])
        for each in statements(function)
        if any(action.startswith(f"{service}:") for action in listed(each["Action"]))
    ]
    ids = deployed.template()["Resources"]
    return {logical_id for logical_id in ids for text in named if f"'{logical_id}'" in text}


@pytest.mark.parametrize("function", ["Dispatch", "Work", "Bury", "Audit", "Api"])
def test_no_statement_allows_everything(function: str) -> None:
    for each in statements(function):
        assert each["Effect"] == "Allow"
        assert each["Resource"] != "*"
        assert not any("*" in action for action in listed(each["Action"]))


@pytest.mark.parametrize("function", ["Dispatch", "Work", "Bury", "Audit"])
def test_who_may_ask_is_nobodys_business_but_the_apis(function: str) -> None:
    assert not any("Access" in name for name in touched(function, "dynamodb"))


def test_who_runs_users_code_cannot_change_what_they_registered() -> None:
    writing = [
        str(each["Resource"])
        for each in statements("Work")
        if "dynamodb:PutItem" in listed(each["Action"])
    ]

    assert len(writing) == 1
    assert "StorageRuns" in writing[0]
    assert "StorageTasks" not in writing[0]


def test_only_the_audit_and_the_api_delete_and_workers_entries_of_a_line() -> None:
    deleting = {
        name: [each for each in statements(name) if "dynamodb:DeleteItem" in listed(each["Action"])]
        for name in ("Dispatch", "Work", "Bury", "Audit", "Api")
    }

    assert {name for name, found in deleting.items() if found} == {"Work", "Bury", "Audit", "Api"}
    for name in ("Work", "Bury"):
        (statement,) = deleting[name]
        assert "StorageRuns" in str(statement["Resource"])
        assert statement["Condition"]["ForAllValues:StringLike"] == {
            "dynamodb:LeadingKeys": ["permit#*"]
        }


@pytest.mark.parametrize("function", ["Dispatch", "Work", "Bury", "Audit", "Api"])
def test_no_condition_is_true_of_a_request_that_names_no_key(function: str) -> None:
    conditions = [each["Condition"] for each in statements(function) if "Condition" in each]

    for condition in conditions:
        for operator, keys in condition.items():
            if operator.startswith("ForAllValues:"):
                assert condition["Null"] == dict.fromkeys(keys, "false")


def test_only_the_audit_takes_payloads_out_of_their_place() -> None:
    removing = {
        name
        for name in ("Dispatch", "Work", "Bury", "Audit", "Api")
        if "s3:DeleteObject" in actions(name)
    }

    assert removing == {"Audit"}
    assert {"s3:ListBucket", "s3:GetObject", "s3:PutObject"} <= actions("Audit")


def test_only_the_dispatcher_starts_functions_and_only_itself() -> None:
    starting = {
        name
        for name in ("Dispatch", "Work", "Bury", "Audit", "Api")
        if "lambda:InvokeFunction" in actions(name)
    }

    assert starting == {"Dispatch"}
    assert [name for name in touched("Dispatch", "lambda") if "Dispatch" not in name] == []


def test_nobody_writes_to_anothers_log() -> None:
    for function in ("Dispatch", "Work", "Bury", "Audit", "Api"):
        writing = [
            str(each["Resource"])
            for each in statements(function)
            if "logs:PutLogEvents" in listed(each["Action"])
        ]

        assert len(writing) == 1
        assert f"Functions{function}Logs" in writing[0]


def test_the_worker_may_call_what_the_context_names_and_no_more() -> None:
    template = deployed.template(
        targets=",".join(TARGETS),
        target_networks="10.1.0.0/16",
        vpc="vpc-0a1b2c3d4e5f60718",
        subnets="subnet-0a1b2c3d4e5f60718",
        security_groups="sg-0a1b2c3d4e5f60718",
    )
    resources = [str(each["Resource"]) for each in statements("Work", template)]
    worker = next(
        each["Properties"]["Environment"]["Variables"]
        for name, each in template["Resources"].items()
        if name.startswith("FunctionsWork") and each["Type"] == "AWS::Lambda::Function"
    )

    assert set(TARGETS) <= set(resources)
    assert "arn:aws:states:eu-west-1:111122223333:execution:nightly:*" in resources
    assert worker["TARGET_NETWORKS"] == "10.1.0.0/16"
    named = {action for each in statements("Work", template) for action in listed(each["Action"])}
    assert {"states:DescribeExecution", "states:StopExecution"} <= named
    assert "states:StartExecution" not in actions("Work")


def test_the_audit_may_tell_whom_the_context_names_and_read_what_signs_it() -> None:
    topic = "arn:aws:sns:eu-west-1:111122223333:told"
    template = deployed.template(
        events_to=f"{topic},https://example.com/hook", events_sign_ref="ssm:/onthedot/sign"
    )
    resources = [str(each["Resource"]) for each in statements("Audit", template)]
    audit = next(
        each["Properties"]["Environment"]["Variables"]
        for name, each in template["Resources"].items()
        if name.startswith("FunctionsAudit") and each["Type"] == "AWS::Lambda::Function"
    )

    assert topic in resources
    assert any(":parameter/onthedot/sign" in each for each in resources)
    assert audit["EVENTS_TO"] == f"{topic},https://example.com/hook"
    assert "sns:Publish" not in actions("Audit")


@pytest.mark.parametrize(
    ("name", "value"),
    [("targets", "arn:aws:s3:::bucket"), ("targets", "orders"), ("worker_concurrency", "many")],
)
def test_a_context_that_makes_no_sense_is_named(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"context .*{value}"):
        deployed.template(**{name: value})


def test_the_context_documents_itself() -> None:
    documented = (ROOT / "docs" / "deploying.md").read_text()

    assert [name for name in Settings.__slots__ if f"`{name}`" not in documented] == []
