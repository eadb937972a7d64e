"""What a run calls: one shape a type of target."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Arn = Annotated[str, Field(pattern=r"^arn:[^\s]{1,2000}$")]
Text = Annotated[str, Field(min_length=1, max_length=256)]
Header = Annotated[str, Field(pattern=r"^[!-~][ -~]{0,2000}$|^$")]
HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$")]
# A status, or a class of them, that an answer can end in.
Status = Annotated[str, Field(pattern=r"^[2-5]([0-9][0-9]|xx)$")]


class Written(BaseModel):
    """A body: what it does not know is refused, and "5" is no number."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class Secret(Written):
    """Where a secret is kept: an ARN of Secrets Manager, or a parameter's path."""

    secret_ref: str = Field(pattern=r"^(arn:|ssm:/)[^\s]{1,2000}$")


class PythonTarget(Written):
    """A handler of `jobs/`, by its name."""

    type: Literal["python"]
    handler: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,199}$")


class HttpTarget(Written):
    """An address that is called."""

    type: Literal["http"]
    url: str = Field(pattern=r"^https?://[^\s/?#]{1,255}([/?][!-~]{0,2000})?$")
    method: Literal["POST", "PUT", "PATCH", "GET", "DELETE", "HEAD"] | None = None
    headers: dict[HeaderName, Header] | None = Field(None, max_length=50)
    body: str | None = Field(None, max_length=65_536)
    auth: Secret | None = None
    sign: Secret | None = None
    expect_status: list[Status] | None = Field(None, min_length=1, max_length=20)
    expect_body: str | None = Field(None, max_length=1_000)
    complete: Literal["response", "callback"] | None = None
    follow_redirects: bool | None = None


class SqsTarget(Written):
    """A queue that gets a message."""

    type: Literal["sqs"]
    queue_url: str = Field(pattern=r"^https?://[!-~]{1,2000}$")
    group_id: str | None = Field(None, pattern=r"^[!-~]{1,128}$")


class SnsTarget(Written):
    """A topic that gets a message."""

    type: Literal["sns"]
    topic_arn: Arn


class LambdaTarget(Written):
    """A function, waited for or only called."""

    type: Literal["lambda"]
    function_arn: Arn
    mode: Literal["sync", "async"] | None = None


class EventBridgeTarget(Written):
    """A bus that gets an event."""

    type: Literal["eventbridge"]
    bus: Text
    source: Text | None = None
    detail_type: Annotated[str, Field(min_length=1, max_length=128)] | None = None


class StepFunctionsTarget(Written):
    """A state machine that is started, and waited for if so wanted."""

    type: Literal["stepfunctions"]
    state_machine_arn: Arn
    wait: bool | None = None


class PullTarget(Written):
    """A queue that workers of your own take runs from."""

    type: Literal["pull"]
    queue: str = Field(pattern=r"^[a-z0-9-]{1,64}$")


Target = Annotated[
    PythonTarget
    | HttpTarget
    | SqsTarget
    | SnsTarget
    | LambdaTarget
    | EventBridgeTarget
    | StepFunctionsTarget
    | PullTarget,
    Field(discriminator="type"),
]
