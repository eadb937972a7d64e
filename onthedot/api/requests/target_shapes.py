"""Defines what a run calls: one shape for each type of target."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from onthedot.api.door import patterns

Arn = Annotated[str, Field(pattern=patterns.ARN)]
Text = Annotated[str, Field(min_length=1, max_length=256)]
Header = Annotated[str, Field(pattern=patterns.HEADER)]
HeaderName = Annotated[str, Field(pattern=patterns.HEADER_NAME)]
# A status, or a class of statuses, that an answer can have.
Status = Annotated[str, Field(pattern=patterns.STATUS)]


class Written(BaseModel):
    """A body: what it does not know is refused, and "5" is no number."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class Secret(Written):
    """Where a secret is kept: an ARN of Secrets Manager, or a parameter's path."""

    secret_ref: str = Field(pattern=patterns.SECRET)


class PythonTarget(Written):
    """A handler of `jobs/`, by its name."""

    type: Literal["python"]
    handler: str = Field(pattern=patterns.HANDLER)


class HttpTarget(Written):
    """An address that is called."""

    type: Literal["http"]
    url: str = Field(pattern=patterns.URL)
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
    queue_url: str = Field(pattern=patterns.QUEUE_URL)
    group_id: str | None = Field(None, pattern=patterns.GROUP)


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
    """A state machine that is started; with `wait`, its end is awaited."""

    type: Literal["stepfunctions"]
    state_machine_arn: Arn
    wait: bool | None = None


class PullTarget(Written):
    """A queue from which your own workers take runs."""

    type: Literal["pull"]
    queue: str = Field(pattern=patterns.QUEUE)


TYPES: dict[str, type[Written]] = {
    "python": PythonTarget,
    "http": HttpTarget,
    "sqs": SqsTarget,
    "sns": SnsTarget,
    "lambda": LambdaTarget,
    "eventbridge": EventBridgeTarget,
    "stepfunctions": StepFunctionsTarget,
    "pull": PullTarget,
}
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
