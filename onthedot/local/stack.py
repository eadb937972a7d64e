"""Runs the whole stack on one machine: it starts it, checks it, stops it, starts it again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from threading import Thread
from urllib.parse import urlsplit

from onthedot.local import clients, cloud, database, emulator, objects, ports, sweeper
from onthedot.local.children import Children
from onthedot.local.folder import PROJECT, Folder
from onthedot.local.front import FrontDoor, Upstream, front_door

# Seconds for each of two processes. A stop must be over in ten seconds.
_PATIENCE_SEC = 4
_AWAKE_SEC = 30
# In the cloud such an address is inside the function, and is refused.
_OWN_MACHINE = "127.0.0.0/8,::1/128"
Say = Callable[[str], None]


@dataclass(slots=True)
class Stack:
    """A local stack behind its front door, which answers while the stack is down."""

    folder: Folder
    door: FrontDoor
    say: Say
    # Chosen once, so that a restarted stack has the same ports.
    emulator_port: int = field(default_factory=ports.free)
    database_port: int = field(default_factory=ports.free)
    # Without Dynoxide, MiniStack has the tables, and they end with it.
    durable: bool = field(default_factory=database.exists)
    outputs: Mapping[str, str] = field(default_factory=dict)
    children: Children = field(init=False)
    emulator: subprocess.Popen[bytes] | None = None
    database: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.children = Children(self.folder.children)

    @property
    def endpoint(self) -> str:
        """Returns where the emulated cloud answers."""
        return f"http://127.0.0.1:{self.emulator_port}"

    @property
    def dynamodb(self) -> str:
        """Returns where the tables are."""
        return f"http://127.0.0.1:{self.database_port}" if self.durable else self.endpoint

    @property
    def alive(self) -> bool:
        """Tells whether all its processes live."""
        return all(each is None or each.poll() is None for each in (self.emulator, self.database))

    @property
    def settings(self) -> dict[str, str]:
        """Returns MiniStack's settings. Its functions inherit them."""
        told = {
            **objects.settings(self.folder),
            "TARGET_NETWORKS": _OWN_MACHINE,
            "RUN_LOGS": str(self.folder.run_logs),
        }
        if self.durable:
            told["AWS_ENDPOINT_URL_DYNAMODB"] = self.dynamodb
        return told

    @property
    def environment(self) -> dict[str, str]:
        """Returns the environment in which a program of ours sees the stack as functions do."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return {
            **kept,
            **clients.KEYS,
            "AWS_DEFAULT_REGION": clients.REGION,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ENDPOINT_URL_DYNAMODB": self.dynamodb,
            "PARALLEL_CALLS": "1",
            **variables(self.outputs),
        }

    def start(self) -> None:
        """Starts from whatever was left, and goes on with its runs as soon as it can.

        Workers begin beside the API: it answers later, and what is due after an outage runs sooner.
        """
        self._begin()
        api = Thread(target=self._wake_the_api, name="waking", daemon=True)
        api.start()
        self._send_what_was_lost()
        api.join()
        self._open_the_door()
        self._tick()

    def stand_up(self) -> None:
        """Starts everything until the API answers through the door. No worker has work yet.

        The first worker takes as long as the API: beside each other, both would take longer.
        """
        self._begin()
        self._wake_the_api()
        self._open_the_door()

    def _begin(self) -> None:
        """Starts the servers and the stack in them."""
        self.children.end_leftovers()
        self.folder.clear()
        objects.forget_uploads(self.folder)
        sweeper.start(self.folder, self.children)
        if self.durable:
            self.say("Starting Dynoxide, the database")
            self.database = database.start(self.folder, self.children, self.database_port)
        else:
            self.say("No Dynoxide for this machine: tables live in MiniStack and end with it")
        self.say("Starting MiniStack, the cloud")
        self.emulator = emulator.start(
            self.folder, self.children, self.emulator_port, self.settings
        )
        self.outputs = cloud.deploy(self.folder, self.children, self.endpoint, self.say)
        objects.carry_over(self.endpoint, self.outputs["BlobsBucket"])
        if self.durable:
            database.make_tables(self.dynamodb, self.outputs)

    def go_on(self) -> None:
        """Sends the messages of open runs again, and looks for what came due meanwhile."""
        self._send_what_was_lost()
        self._tick()

    def _send_what_was_lost(self) -> None:
        if self.durable:
            self.run("onthedot.local.lost_messages")

    def run(self, module: str) -> str:
        """Runs a program of ours on this stack, and returns what it prints.

        It has a process of its own: the clients of this one may belong to another stack.
        """
        command = [sys.executable, "-m", module]
        done = subprocess.run(  # noqa: S603 a module of this project
            command, env=self.environment, cwd=PROJECT, check=True, capture_output=True, text=True
        )
        return done.stdout

    def stop(self) -> None:
        """Ends every process, or what is left of them."""
        self.door.upstream = None
        self.children.end_all(_PATIENCE_SEC)
        self.emulator = self.database = None

    def _wake_the_api(self) -> None:
        """Makes a first request, so that the API is loaded. Its answer does not matter."""
        at = self._api
        connection = HTTPConnection("127.0.0.1", at.port, timeout=_AWAKE_SEC)
        with suppress(OSError, HTTPException), closing(connection):
            connection.request("GET", "/v1/health", headers={"Host": at.host})
            connection.getresponse().read()

    @property
    def _api(self) -> Upstream:
        host = urlsplit(self.outputs["Url"]).netloc.partition(":")[0]
        return Upstream(self.emulator_port, host)

    def _open_the_door(self) -> None:
        self.door.upstream = self._api

    def _tick(self) -> None:
        """Ticks at once: the rule's first minute has only begun."""
        invoke = clients.client("lambda", self.endpoint).invoke
        for function in ("DispatchFunction", "AuditFunction"):
            invoke(FunctionName=self.outputs[function], InvocationType="Event", Payload=b"{}")


def variables(outputs: Mapping[str, str]) -> dict[str, str]:
    """Names the outputs like a function's environment: TASKS_TABLE for TasksTable."""
    return {re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper(): value for name, value in outputs.items()}


@contextmanager
def started(folder: Folder, *, port: int = 0, say: Say = lambda _: None) -> Iterator[Stack]:
    """Runs a stack while the block lasts. No other stack can use the folder meanwhile."""
    with standing(folder, port=port, say=say) as stack:
        stack.go_on()
        yield stack


@contextmanager
def standing(folder: Folder, *, port: int = 0, say: Say = lambda _: None) -> Iterator[Stack]:
    """Does the same, but leaves it to the block to go on with what was left."""
    with folder.held(), front_door(port) as door:
        stack = Stack(folder, door, say)
        try:
            stack.stand_up()
            yield stack
        finally:
            stack.stop()
