"""Deploys the stack into the emulator: by `cdk deploy`, or from its last result."""

from __future__ import annotations

import time
from collections.abc import Callable

from onthedot.local import assembly, cdk, clients, whole_folders
from onthedot.local.children import Children
from onthedot.local.folder import Folder
from onthedot.local.ports import StartError

STACK = "OnTheDot"
_MAX_SEC = 60
_STEP_SEC = 0.05
Say = Callable[[str], None]


def deploy(folder: Folder, children: Children, endpoint: str, say: Say) -> dict[str, str]:
    """Deploys into an empty emulator, and returns the stack's outputs."""
    sources = assembly.sources()
    if assembly.made_from(folder.assembly) == sources:
        say("Deploying the stack as it was: nothing has changed since")
        assembly.create(folder.assembly, STACK, endpoint)
    else:
        say("cdk bootstrap")
        cdk.bootstrap(folder, children, endpoint)
        say("cdk deploy")
        # If a test shares the assembly with others, it lies elsewhere.
        place = folder.assembly.resolve()
        built = whole_folders.begun(place.parent)
        cdk.deploy(folder, children, endpoint, built)
        assembly.stamp(built, sources)
        whole_folders.put(built, place)
    found = outputs(endpoint)
    if left_out := found.get("AlarmsLeftOut"):
        say(f"Alarms that MiniStack cannot hold, left out: {left_out}")
    return found


def outputs(endpoint: str) -> dict[str, str]:
    """Waits until the stack is complete, and returns its outputs."""
    cloudformation = clients.client("cloudformation", endpoint)
    deadline = time.monotonic() + _MAX_SEC
    while True:
        (stack,) = cloudformation.describe_stacks(StackName=STACK)["Stacks"]
        status = stack["StackStatus"]
        if status == "CREATE_COMPLETE":
            return {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
        if status != "CREATE_IN_PROGRESS" or time.monotonic() > deadline:
            raise StartError(f"The stack is {status}: {stack.get('StackStatusReason', '')}")
        time.sleep(_STEP_SEC)
