"""What a deployment decides after a look at the account, and what it leaves to a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra import before_deploy
from infra.before_deploy import given, main
from onthedot.store import aws
from tests.infra import deployed

HERE, THERE = "eu-west-1", "us-east-1"
TABLES = [f"OnTheDot-Storage{part}A1-X" for part in ("Tasks", "Runs", "Access")]
BUCKET = "onthedot-storageblobsa1-x"
KEPT = "Tasks=a,Runs=b,Access=c,Blobs=d"


class Account:
    """Answers as AWS does, for all services."""

    def __init__(self) -> None:
        self.meta = self
        self.region_name = HERE
        self.stack: dict[str, Any] = {}
        self.tables: list[str] = []
        self.buckets: list[dict[str, str]] = []

    def describe_stacks(self, **_: str) -> dict[str, Any]:
        if not self.stack:
            told = {"Code": "ValidationError", "Message": "Stack with id OnTheDot does not exist"}
            raise ClientError({"Error": told}, "DescribeStacks")
        return {"Stacks": [self.stack]}

    def get_paginator(self, of: str) -> Account:
        self.asked = of
        return self

    def paginate(self, **_: str) -> Iterator[dict[str, Any]]:
        yield {"TableNames": self.tables, "Buckets": self.buckets}

    def get_account_settings(self) -> dict[str, Any]:
        return {
            "AccountLimit": {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 1000}
        }


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Account:
    made = Account()
    monkeypatch.setattr(aws, "client", lambda _service: made)
    monkeypatch.delenv("STAGE", raising=False)
    return made


def leave(account: Account, *buckets: tuple[str, str]) -> None:
    account.tables = TABLES
    account.buckets = [{"Name": name, "BucketRegion": where} for name, where in buckets]


def test_the_context_of_the_options_is_read_as_the_cdk_reads_it() -> None:
    options = [
        "--profile",
        "x",
        "-c",
        "kept=Tasks=a,Runs=b",
        "--context=pollers=high=2-20",
        "Stack",
    ]

    assert given(options) == {"kept": "Tasks=a,Runs=b", "pollers": "high=2-20"}


@pytest.mark.usefixtures("account")
def test_in_an_account_without_a_stack_it_only_reserves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    assert said == "--context reserved_concurrency=dispatch=16,audit=6,work=200 "


def test_a_bucket_of_the_same_name_in_another_region_belongs_to_a_stack_there(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(account, ("onthedot-storageblobsb2-y", THERE), (BUCKET, HERE))

    assert main([]) == 0
    assert f"Access={TABLES[2]},Blobs={BUCKET} " in capsys.readouterr().out


@pytest.mark.parametrize("state", ["CREATE_IN_PROGRESS", "CREATE_FAILED", "UPDATE_COMPLETE"])
def test_tables_that_a_stack_has_are_not_taken_from_it(
    account: Account, capsys: pytest.CaptureFixture[str], state: str
) -> None:
    leave(account, (BUCKET, HERE))
    account.stack = {"StackStatus": state}

    assert main([]) == 0
    assert "kept" not in capsys.readouterr().out


@pytest.mark.parametrize("state", ["ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS", "DELETE_IN_PROGRESS"])
def test_a_stack_that_has_nothing_does_not_hide_what_another_has_left(
    account: Account, capsys: pytest.CaptureFixture[str], state: str
) -> None:
    leave(account, (BUCKET, HERE))
    account.stack = {"StackStatus": state}

    assert main([]) == 0
    assert f"--context kept=Tasks={TABLES[0]}," in capsys.readouterr().out


def test_what_a_person_names_in_the_options_decides(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(account, (BUCKET, HERE), ("onthedot-storageblobsb2-y", HERE))

    assert main([]) == 1
    assert main(["--context", f"kept={KEPT}"]) == 0
    assert "kept" not in capsys.readouterr().out


def test_no_tables_and_no_bound_can_be_asked_for(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(account, (BUCKET, HERE))

    assert main(["--context", "kept=", "--context", "reserved_concurrency="]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("account")
def test_tables_that_cdk_json_names_are_not_shared_by_two_stages(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    context = deployed.context() | {"kept": KEPT}
    (tmp_path / "cdk.json").write_text(json.dumps({"context": context}))
    monkeypatch.setattr(before_deploy, "CDK", tmp_path / "cdk.json")

    assert main([]) == 0
    assert "kept" not in capsys.readouterr().out
    monkeypatch.setenv("STAGE", "test")
    assert main([]) == 1
    assert "must not share" in capsys.readouterr().err
    assert main(["--context", "kept="]) == 0


@pytest.mark.usefixtures("account")
def test_workers_of_provisioned_pollers_reserve_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--context", "pollers=high=2-20"]) == 0
    assert capsys.readouterr().out == "--context reserved_concurrency=dispatch=16,audit=6 "


@pytest.mark.usefixtures("account")
def test_a_stage_in_the_options_would_reach_only_the_cdk(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--context", "stage=test"]) == 1
    assert "STAGE=" in capsys.readouterr().err
    monkeypatch.setenv("STAGE", "test")
    assert main(["--context", "stage=test"]) == 0


@pytest.mark.usefixtures("account")
def test_a_deployer_without_the_rights_gets_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_stack: str) -> None:
        told = {"Code": "AccessDenied", "Message": "not allowed"}
        raise ClientError({"Error": told}, "DescribeStacks")

    monkeypatch.setattr(before_deploy, "said_by", refuse)

    assert main([]) == 1
    assert "which rights" in capsys.readouterr().err
