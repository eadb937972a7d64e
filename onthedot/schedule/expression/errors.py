"""What a caller got wrong, said so that every door can show it, and what was busy."""

from __future__ import annotations


class ScheduleError(ValueError):
    """A schedule that cannot be: which field, where in the text, why, and what to write instead."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str = "expression",
        position: tuple[int, int] | None = None,
        suggestion: str | None = None,
    ) -> None:
        """Keep the parts; the sentence is the exception's text."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.position = position
        self.suggestion = suggestion

    def within(self, whole: str, at: int, length: int, field: str | None = None) -> ScheduleError:
        """Say the same of the text that this one is a part of."""
        position = self.position or (0, length)
        suggestion = self.suggestion
        if suggestion is not None:
            suggestion = whole[:at] + suggestion + whole[at + length :]
        return ScheduleError(
            self.code,
            self.message,
            field=field or self.field,
            position=(position[0] + at, position[1] + at),
            suggestion=suggestion,
        )

    def as_json(self) -> dict[str, object]:
        """Give the error object of the API, the CLI and the console."""
        return {
            "code": self.code,
            "message": self.message,
            "field": self.field,
            "position": list(self.position) if self.position else None,
            "suggestion": self.suggestion,
        }


class BusyError(RuntimeError):
    """What was not done, as the store gave no answer or others kept changing it: try again."""
