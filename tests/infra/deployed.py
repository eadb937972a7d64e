"""The stack as it would be deployed, once for all tests; its layers are empty, to need no uv."""

import json
import re
import sys
import sysconfig
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from aws_cdk import App

from infra.bundle import Packages
from infra.settings import Settings
from infra.stack import OnTheDot
from tests.tidy.tree import ROOT

Resource = dict[str, Any]


def context() -> dict[str, Any]:
    """Returns what cdk.json gives."""
    found: dict[str, Any] = json.loads((ROOT / "cdk.json").read_text())["context"]
    return found


def here() -> dict[str, str]:
    """What `make run` chooses: packages for this machine and this Python, and plain alarms."""
    built_for = re.sub(r"\W", "_", sysconfig.get_platform())
    return {
        "platform": built_for.replace("linux_", "manylinux_2_28_"),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "metric_math": "false",
    }


def settings(**chosen: str) -> Settings:
    """Returns the settings as they are read from such a context."""
    return Settings.read(App(context=context() | chosen).node)


@cache
def template(**chosen: str) -> dict[str, Any]:
    """Returns the template, with what is chosen on the command line in place of cdk.json's
    context.
    """
    found: dict[str, Any] = json.loads((assembly(**chosen) / "OnTheDot.template.json").read_text())
    return found


@cache
def assembly(*, packages: Packages | None = None, **chosen: str) -> Path:
    """Returns the folder that would be deployed: template and assets."""
    empty = Path(mkdtemp())
    app = App(context=context() | chosen, outdir=mkdtemp())
    OnTheDot(
        app,
        "OnTheDot",
        settings=Settings.read(app.node),
        packages=packages or Packages(common=empty, api=empty),
    )
    return Path(app.synth().directory)


def resources(kind: str) -> dict[str, Resource]:
    """Returns every resource of a type, by its logical id."""
    found = template()["Resources"]
    return {name: each for name, each in found.items() if each["Type"] == kind}


def properties(kind: str) -> list[dict[str, Any]]:
    """Returns what each of them is asked to be."""
    return [each["Properties"] for each in resources(kind).values()]
