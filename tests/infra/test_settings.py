"""What a deployment may choose, as it shows in the template, and what it must not choose."""

from __future__ import annotations

from typing import Any

import pytest

from infra import bundle
from infra.outputs import stack_name
from infra.polling import price
from infra.settings import Pollers
from tests.infra import deployed

KEY = "arn:aws:kms:eu-west-1:123456789012:key/11111111-2222-3333-4444-555555555555"
BOUNDARY = "arn:aws:iam::123456789012:policy/bound"
SUBNETS = ["subnet-0a1b2c3d4e5f60718", "subnet-0a1b2c3d4e5f60719"]
GROUP, ROUTES = "sg-0a1b2c3d4e5f60718", "rtb-0a1b2c3d4e5f60718"
VPC = {
    "vpc": "vpc-0a1b2c3d4e5f60718",
    "subnets": ",".join(SUBNETS),
    "security_groups": GROUP,
}


def found(kind: str, **chosen: str) -> list[dict[str, Any]]:
    """Returns the resources of a kind, as such a deployment has them."""
    template = deployed.template(**chosen)
    return [each for each in template["Resources"].values() if each["Type"] == kind]


def properties(kind: str, **chosen: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in found(kind, **chosen)]


def named(function: str, **chosen: str) -> dict[str, Any]:
    (one,) = [
        each
        for each in properties("AWS::Lambda::Function", **chosen)
        if each["Handler"] == f"lambdas.{function}.handler"
    ]
    return one


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"target_networks": "10.1.0.0/16"}, "the worker is in no VPC"),
        ({"vpc": "vpc-1"}, "give also subnets and security_groups"),
        (VPC | {"vpc_exit": "endpoints"}, "give also route_tables"),
        (VPC | {"vpc_exit": "tunnel"}, "give nat .* or endpoints"),
        ({"pollers": "high=1-20"}, "give the least .2 to 200."),
        ({"pollers": "high=20-2"}, "such as high=2-20"),
        ({"pollers": "urgent=2-20"}, "give high, normal, low"),
        ({"reserved_concurrency": "bury=1"}, "give dispatch, work, audit, api"),
        ({"reserved_concurrency": "work=none"}, "at least 1"),
        ({"worker_concurrency": "2501"}, "from 10 to 2500"),
        ({"stage": "a b"}, "letters, digits and hyphens"),
        ({"stage": "x" * 21}, "up to 20"),
        ({"warm_reads": "11999"}, "0 or at least 12000"),
        ({"warm_writes": "3999"}, "0 or at least 4000"),
        ({"kept": "Tasks=a"}, "give all of Tasks, Runs, Access, Blobs"),
        ({"termination_protection": "perhaps"}, "give true or false"),
    ],
)
def test_a_wrong_choice_gets_a_sentence(chosen: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        deployed.settings(**chosen)


def test_the_worker_enters_the_network_it_is_given() -> None:
    chosen = VPC | {"target_networks": "10.1.0.0/16"}

    assert named("work", **chosen)["VpcConfig"] == {
        "SubnetIds": SUBNETS,
        "SecurityGroupIds": [GROUP],
    }
    assert named("work", **chosen)["Environment"]["Variables"]["TARGET_NETWORKS"] == "10.1.0.0/16"
    for function in ("dispatch", "bury", "audit", "api"):
        assert "VpcConfig" not in named(function, **chosen)
    (worker,) = [
        each
        for each in found("AWS::Lambda::Function", **chosen)
        if each["Properties"]["Handler"] == "lambdas.work.handler"
    ]
    assert any("EntersNetwork" in name for name in worker["DependsOn"])


def test_the_code_of_users_may_not_touch_the_networks_interfaces() -> None:
    (denied,) = [
        statement
        for policy in properties("AWS::IAM::Policy", **VPC)
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny"
    ]
    (allowed,) = [
        statement
        for policy in properties("AWS::IAM::Policy", **VPC)
        for statement in policy["PolicyDocument"]["Statement"]
        if "ec2:CreateNetworkInterface" in statement["Action"] and statement["Effect"] == "Allow"
    ]

    assert denied["Action"] == allowed["Action"]
    (source,) = denied["Condition"]["ArnEquals"].items()
    assert source[0] == "lambda:SourceFunctionArn"
    assert source[1]["Fn::GetAtt"][0].startswith("FunctionsWork")


@pytest.mark.parametrize("place", ["/etc/hosts", "../ca.pem", "README.md", "nothing.pem"])
def test_a_bundle_that_no_function_could_load_is_refused(place: str) -> None:
    with pytest.raises(ValueError, match="context ca_bundle"):
        bundle.code(place)


def test_without_a_nat_the_worker_has_the_endpoints_of_all_that_it_calls() -> None:
    chosen = VPC | {
        "vpc_exit": "endpoints",
        "route_tables": ROUTES,
        "targets": (
            "arn:aws:sns:eu-west-1:111122223333:t,"
            "arn:aws:states:eu-west-1:111122223333:stateMachine:m"
        ),
    }
    endpoints = {
        each["ServiceName"]["Fn::Join"][1][-1].strip("."): each
        for each in properties("AWS::EC2::VPCEndpoint", **chosen)
    }

    assert set(endpoints) == {"dynamodb", "s3", "sqs", "sns", "states"}
    assert endpoints["dynamodb"]["RouteTableIds"] == [ROUTES]
    assert endpoints["sqs"]["SubnetIds"] == SUBNETS
    assert endpoints["sqs"]["PrivateDnsEnabled"]


def test_provisioned_pollers_take_the_place_of_a_maximum_and_have_their_price() -> None:
    mappings = properties("AWS::Lambda::EventSourceMapping", pollers="high=2-20")
    (provisioned,) = [each for each in mappings if "ProvisionedPollerConfig" in each]

    assert provisioned["ProvisionedPollerConfig"] == {"MinimumPollers": 2, "MaximumPollers": 20}
    assert "ScalingConfig" not in provisioned
    assert all("ScalingConfig" in each for each in mappings if each is not provisioned)
    assert "at least $14 a month, and up to $135" in price({"high": Pollers(2, 20)})


def test_a_function_reserves_what_it_is_given_and_nothing_by_itself() -> None:
    chosen = {"reserved_concurrency": "dispatch=10,api=50"}

    assert named("dispatch", **chosen)["ReservedConcurrentExecutions"] == 10
    assert named("api", **chosen)["ReservedConcurrentExecutions"] == 50
    for function in ("dispatch", "work", "bury", "audit", "api"):
        assert "ReservedConcurrentExecutions" not in named(function)


def test_a_queue_takes_no_more_than_lambda_allows_a_mapping() -> None:
    shares = [
        each["ScalingConfig"]["MaximumConcurrency"]
        for each in properties("AWS::Lambda::EventSourceMapping", worker_concurrency="2500")
    ]

    assert max(shares) == 1_000


def test_warm_throughput_is_of_the_tables_and_the_index_of_a_herd() -> None:
    tables = properties("AWS::DynamoDB::Table", warm_writes="10000", warm_reads="20000")
    warm = {"ReadUnitsPerSecond": 20_000, "WriteUnitsPerSecond": 10_000}

    assert [each.get("WarmThroughput") for each in tables].count(warm) == 2
    indexes = {
        index["IndexName"]: index.get("WarmThroughput")
        for each in tables
        for index in each.get("GlobalSecondaryIndexes", ())
    }
    assert {name for name, value in indexes.items() if value} == {"due"}
    assert not any("WarmThroughput" in each for each in properties("AWS::DynamoDB::Table"))


def test_a_key_of_ones_own_encrypts_what_is_stored_and_every_function_may_use_it() -> None:
    for table in properties("AWS::DynamoDB::Table", key_arn=KEY):
        assert table["SSESpecification"]["KMSMasterKeyId"] == KEY
    for queue in properties("AWS::SQS::Queue", key_arn=KEY):
        assert queue["KmsMasterKeyId"] == KEY
    (topic,) = properties("AWS::SNS::Topic", key_arn=KEY)
    assert topic["KmsMasterKeyId"] == KEY
    statements = [
        statement
        for policy in properties("AWS::IAM::Policy", key_arn=KEY)
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Resource"] == KEY
    ]
    assert len(statements) == len(properties("AWS::Lambda::Function"))


def test_a_stage_has_a_stack_of_its_own() -> None:
    assert stack_name("") == "OnTheDot"
    assert stack_name("test") == "OnTheDot-test"


def test_a_failed_first_deployment_leaves_no_table_behind_and_a_later_one_deletes_none() -> None:
    for kind in ("AWS::DynamoDB::Table", "AWS::S3::Bucket"):
        for each in found(kind):
            assert each["DeletionPolicy"] == "RetainExceptOnCreate"
            assert each["UpdateReplacePolicy"] == "Retain"
            assert "DeletionProtectionEnabled" not in each["Properties"]


def test_kept_storage_is_named_and_not_made() -> None:
    kept = {"Tasks": "tasks", "Runs": "runs", "Access": "access", "Blobs": "blobs"}
    written = ",".join(f"{part}={name}" for part, name in kept.items())
    template = deployed.template(kept=written)

    assert found("AWS::DynamoDB::Table", kept=written) == []
    assert found("AWS::S3::Bucket", kept=written) == []
    assert template["Outputs"]["TasksTable"]["Value"] == "tasks"
    assert template["Outputs"]["BlobsBucket"]["Value"] == "blobs"
    assert named("work", kept=written)["Environment"]["Variables"]["RUNS_TABLE"] == "runs"


def test_functions_get_a_new_sdk_only_with_a_deployment() -> None:
    """Our hooks into botocore were tested with the one that was there before."""
    for each in properties("AWS::Lambda::Function"):
        assert each["RuntimeManagementConfig"] == {"UpdateRuntimeOn": "FunctionUpdate"}
