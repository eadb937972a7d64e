"""What is uploaded: our code and pinned packages, small, and the same when nothing has changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from infra import bundle
from infra.bundle import FOLDERS, Packages
from tests.infra import deployed
from tests.tidy import tree

MB = 1_000_000


@pytest.fixture(scope="module")
def packages() -> Packages:
    return bundle.packages(deployed.settings(**deployed.here()))


@pytest.fixture(scope="module")
def code() -> Path:
    """Returns the asset that every function has."""
    assets = deployed.assembly().glob("asset.*")
    return next(asset for asset in assets if (asset / "lambdas").is_dir())


def test_everything_together_is_smaller_than_15_mb(packages: Packages, code: Path) -> None:
    folders = (packages.common, packages.api, code)
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]

    assert sum(file.stat().st_size for file in files) < 15 * MB


def test_the_code_is_ours_as_git_has_it_and_nothing_else(code: Path) -> None:
    bundled = {str(file.relative_to(code)) for file in code.rglob("*") if file.is_file()}

    ours = {name for name in tree.files() if name.split("/")[0] in FOLDERS}
    assert bundled == {name for name in ours if not name.endswith(".txt")}


def test_the_runtime_brings_the_sdk(packages: Packages) -> None:
    found = {path.name for path in (packages.common / "python").iterdir()}
    found |= {path.name for path in (packages.api / "python").iterdir()}

    assert found.isdisjoint({"boto3", "botocore", "s3transfer", "urllib3"})
    assert {"croniter", "pydantic", "pynamodb", "tzdata"} <= found


def test_only_the_api_has_what_starts_slowly(packages: Packages) -> None:
    assert not list(packages.common.glob("python/pydantic*"))
    assert not list(packages.common.glob("python/pynamodb*"))
    assert not list(packages.api.glob("python/aws_lambda_powertools"))


def test_layers_are_built_once(packages: Packages) -> None:
    built = (packages.common / "python").stat().st_mtime_ns

    again = bundle.packages(deployed.settings(**deployed.here()))

    assert again == packages
    assert (again.common / "python").stat().st_mtime_ns == built


def test_the_cloud_gets_layers_of_its_own() -> None:
    cloud, here = deployed.settings(), deployed.settings(**deployed.here())

    assert (cloud.platform, cloud.python) == ("manylinux_2_28_aarch64", "3.13")
    assert (cloud.platform, cloud.python) != (here.platform, here.python)


def test_here_and_in_the_cloud_only_the_layers_differ(packages: Packages, tmp_path: Path) -> None:
    """Compares the templates. Alarms that compute are compared in test_alarms."""
    # Made one right after the other, so that the code in both is the same.
    theirs = Packages(common=tmp_path, api=tmp_path)
    cloud = deployed.assembly(packages=theirs) / "OnTheDot.template.json"
    chosen = deployed.here() | {"metric_math": "true"}
    here = deployed.assembly(packages=packages, **chosen) / "OnTheDot.template.json"

    differing = [
        (ours, other)
        for ours, other in zip(_lines(cloud), _lines(here), strict=True)
        if ours != other
    ]

    # Where the two layers' content lies.
    assert len(differing) == 2
    assert all(re.search(r'"S3Key": "[0-9a-f]{64}\.zip"', ours) for ours, _ in differing)
    assert "AWS_ENDPOINT_URL" not in cloud.read_text()


def _lines(template: Path) -> list[str]:
    """Line by line; a layer's own name follows from its content."""
    return re.sub(r"(Packages)[0-9A-F]{8}[0-9a-f]*", r"\1", template.read_text()).splitlines()
