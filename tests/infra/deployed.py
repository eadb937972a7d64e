"""The stack as it would be deployed, once for all tests; its layers are empty, to need no pip."""

import json
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
    """What cdk.json gives."""
    found: dict[str, Any] = json.loads((ROOT / "cdk.json").read_text())["context"]
    return found


@cache
def template(**chosen: str) -> dict[str, Any]:
    """The template, with what is chosen on the command line in place of cdk.json's context."""
    empty = Path(mkdtemp())
    app = App(context=context() | chosen, outdir=mkdtemp())
    OnTheDot(
        app,
        "OnTheDot",
        settings=Settings.read(app.node),
        packages=Packages(common=empty, api=empty),
    )
    found: dict[str, Any] = app.synth().get_stack_by_name("OnTheDot").template
    return found


def resources(kind: str) -> dict[str, Resource]:
    """Every resource of a type, by its logical id."""
    found = template()["Resources"]
    return {name: each for name, each in found.items() if each["Type"] == kind}


def properties(kind: str) -> list[dict[str, Any]]:
    """What each of them is asked to be."""
    return [each["Properties"] for each in resources(kind).values()]
