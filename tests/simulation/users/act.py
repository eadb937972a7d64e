"""What a caller asks of the API in a history, and when it was answered, in true time."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Act:
    """One call of the API, retried until it is answered; zero is not yet."""

    name: str
    task_id: str
    began_ms: float
    acked_ms: float = 0.0
    version: int = 0
    # The run that its answer names.
    run_id: str = ""
    # When each process that tried it began, by the process' name.
    tries: dict[str, float] = field(default_factory=dict)
