"""What AWS's services say instead of yes, in their own words, and what each of them means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from botocore.exceptions import ClientError

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Dead

_AGAIN, _NEVER, _FORBIDDEN = (
    Again(Reason.FAILED),
    Dead(Reason.PERMANENT),
    Dead(Reason.TARGET_FORBIDDEN),
)
Meant = Again | Dead


@dataclass(frozen=True, slots=True)
class Refusal:
    """One answer of a service: its code, its status, and what becomes of the attempt."""

    code: str
    status: int
    sense: Meant
    message: str = "not this time"

    @property
    def means(self) -> Meant:
        """Returns what becomes of the attempt, with the error by which it is shown."""
        return replace(self.sense, error={"type": self.code.rpartition(".")[2]})

    def error(self, operation: str) -> ClientError:
        """As a client raises it."""
        said = {
            "Error": {"Code": self.code, "Message": self.message},
            "ResponseMetadata": {"HTTPStatusCode": self.status, "HTTPHeaders": {}},
        }
        return ClientError(said, operation)


_SQS = "AWS.SimpleQueueService."
_DENIED = "User: arn:aws:sts::000000000000:assumed-role/work is not authorized to perform: {}"
# The codes are those of each service's own reference, and of botocore's models.
PASSING: dict[str, tuple[Refusal, ...]] = {
    "sqs": (
        Refusal("RequestThrottled", 403, _AGAIN),
        Refusal("KMS.ThrottlingException", 400, _AGAIN),
        Refusal("InternalError", 500, _AGAIN),
        Refusal("ServiceUnavailable", 503, _AGAIN),
    ),
    "sns": (
        Refusal("Throttled", 429, _AGAIN),
        Refusal("KMSThrottling", 400, _AGAIN),
        Refusal("InternalError", 500, _AGAIN),
    ),
    "lambda": (
        Refusal("TooManyRequestsException", 429, _AGAIN),
        Refusal("ResourceConflictException", 409, _AGAIN),
        Refusal("ResourceNotReadyException", 502, _AGAIN),
        Refusal("SnapStartNotReadyException", 409, _AGAIN),
        Refusal("SnapStartTimeoutException", 408, _AGAIN),
        Refusal("EC2ThrottledException", 502, _AGAIN),
        Refusal("ServiceException", 500, _AGAIN),
    ),
    "events": (
        Refusal("ThrottlingException", 400, _AGAIN),
        Refusal("InternalException", 500, _AGAIN),
    ),
}
FINAL: dict[str, tuple[Refusal, ...]] = {
    "sqs": (
        Refusal(f"{_SQS}NonExistentQueue", 400, _NEVER),
        Refusal("InvalidMessageContents", 400, _NEVER),
        Refusal("AccessDenied", 403, _FORBIDDEN, _DENIED.format("sqs:sendmessage")),
        Refusal("KMS.AccessDeniedException", 400, _FORBIDDEN),
    ),
    "sns": (
        Refusal("NotFound", 404, _NEVER),
        Refusal("InvalidParameter", 400, _NEVER),
        Refusal("EndpointDisabled", 400, _NEVER),
        Refusal("AuthorizationError", 403, _FORBIDDEN, _DENIED.format("SNS:Publish")),
        Refusal("KMSAccessDenied", 400, _FORBIDDEN),
    ),
    "lambda": (
        Refusal("ResourceNotFoundException", 404, _NEVER),
        Refusal("InvalidRequestContentException", 400, _NEVER),
        Refusal("RequestTooLargeException", 413, _NEVER),
        Refusal("AccessDeniedException", 403, _FORBIDDEN, _DENIED.format("lambda:InvokeFunction")),
    ),
    "events": (
        Refusal("ValidationException", 400, _NEVER),
        Refusal("AccessDeniedException", 400, _FORBIDDEN, _DENIED.format("events:PutEvents")),
    ),
}
# Said of one entry, within an answer of 200: only these two are worth another try.
ENTRIES: tuple[Refusal, ...] = (
    Refusal("InternalFailure", 200, _AGAIN),
    Refusal("ThrottlingException", 200, _AGAIN),
    Refusal("AccessDeniedException", 200, _FORBIDDEN),
    Refusal("MalformedDetail", 200, _NEVER),
    Refusal("NotAuthorizedForSourceException", 200, _FORBIDDEN),
)
_PASSES, _IS_FINAL = 0.14, 0.05


def drawn(random: Random, service: str) -> Refusal | None:
    """Draws what a service says to one call; mostly it does as it is asked."""
    chance = random.random()
    if chance < _PASSES:
        return random.choice(PASSING[service])
    if chance < _PASSES + _IS_FINAL:
        return random.choice(FINAL[service])
    return None
