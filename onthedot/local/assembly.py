"""Creates the stack in a second from what the last `cdk deploy` left, if nothing has changed."""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from onthedot.local import clients
from onthedot.local.folder import PROJECT

# Everything that decides what is deployed.
_SOURCES = ("infra", "lambdas", "onthedot", "jobs", "app.py", "cdk.json", "requirements.txt")
_STAMP = "deployed-from"


def made_from(assembly: Path) -> str:
    """Returns the digest of the sources that were deployed. Empty if none were."""
    stamp = assembly / _STAMP
    return stamp.read_text() if stamp.exists() else ""


def stamp(assembly: Path, sources: str) -> None:
    """Records the digest of the sources that were deployed."""
    (assembly / _STAMP).write_text(sources)


def sources() -> str:
    """Returns a digest that tells two states of the project's files apart."""
    seen = hashlib.sha256(sys.version.encode())
    for path in _files():
        seen.update(f"\0{path.relative_to(PROJECT)}\0".encode())
        seen.update(path.read_bytes())
    return seen.hexdigest()


def create(assembly: Path, stack: str, endpoint: str) -> None:
    """Uploads what the stack is made from, and creates it."""
    s3 = clients.client("s3", endpoint)
    template = ""
    assets: dict[str, Any] = json.loads((assembly / f"{stack}.assets.json").read_text())
    for asset in assets["files"].values():
        content = _content(assembly, asset["source"])
        for destination in asset["destinations"].values():
            bucket, key = (_filled(destination[name]) for name in ("bucketName", "objectKey"))
            s3.create_bucket(Bucket=bucket)
            s3.put_object(Bucket=bucket, Key=key, Body=content)
            if asset["source"]["path"] == f"{stack}.template.json":
                template = f"{endpoint}/{bucket}/{key}"
    # The template asks for the version of the bootstrap stack.
    clients.client("ssm", endpoint).put_parameter(
        Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String"
    )
    clients.client("cloudformation", endpoint).create_stack(
        StackName=stack, TemplateURL=template, Capabilities=["CAPABILITY_IAM"]
    )


def _files() -> Iterator[Path]:
    for source in _SOURCES:
        path = PROJECT / source
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (each for each in found if each.is_file() and each.suffix != ".pyc")


def _filled(name: str) -> str:
    known = {"${AWS::AccountId}": clients.ACCOUNT, "${AWS::Region}": clients.REGION}
    for placeholder, value in known.items():
        name = name.replace(placeholder, value)
    return name


def _content(assembly: Path, source: Mapping[str, str]) -> bytes:
    path = assembly / source["path"]
    if source["packaging"] == "file":
        return path.read_bytes()
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for each in sorted(path.rglob("*")):
            archive.write(each, each.relative_to(path))
    return packed.getvalue()
