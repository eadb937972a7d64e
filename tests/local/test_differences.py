"""Everything in which the stack on this machine differs from the one on AWS, as a list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from onthedot.local import cdk
from onthedot.local.folder import PROJECT, Folder
from onthedot.local.front import front_door
from onthedot.local.stack import Stack

OF_THE_TEMPLATE = {"platform", "python", "metric_math"}
# What a deployment may have chosen and this machine cannot have: it has one stack and its tables.
OF_THE_STACK = {"stage", "kept"}
OF_THE_FUNCTIONS = {"AWS_ENDPOINT_URL_DYNAMODB", "RUN_LOGS", "TARGET_NETWORKS"}
# Where MiniStack keeps objects; no function of ours reads it.
OF_MINISTACK = {"S3_PERSIST", "S3_DATA_DIR"}


def test_the_template_is_made_for_another_machine_and_python_without_alarms_that_compute() -> None:
    on_aws = json.loads((PROJECT / "cdk.json").read_text())["context"]

    assert set(cdk.context()) == OF_THE_TEMPLATE | OF_THE_STACK
    assert all(on_aws[name] != cdk.context()[name] for name in OF_THE_TEMPLATE)
    assert not any(cdk.context()[name] for name in OF_THE_STACK)


@pytest.mark.parametrize("durable", [True, False])
def test_the_functions_find_dynamodb_elsewhere_call_this_machine_and_keep_logs_in_files(
    tmp_path: Path, *, durable: bool
) -> None:
    with front_door(0) as door:
        stack = Stack(Folder(tmp_path), door, say=print, durable=durable)

        told = set(stack.settings)

    without = set() if durable else {"AWS_ENDPOINT_URL_DYNAMODB"}
    assert told == (OF_MINISTACK | OF_THE_FUNCTIONS) - without
