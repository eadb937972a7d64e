"""Defines what a caller got wrong, in a form that every door can show, and the error "busy"."""

from __future__ import annotations


class ScheduleError(ValueError):
    """A schedule that is not valid: which field, where in the text, why, and what would be."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str = "expression",
        position: tuple[int, int] | None = None,
        suggestion: str | None = None,
    ) -> None:
        """Keeps the parts. The sentence is the text of the exception."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.position = position
        self.suggestion = suggestion

    def within(self, whole: str, at: int, length: int, field: str | None = None) -> ScheduleError:
        """Returns the same error, placed in the text that contains this one."""
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
        """Returns the error object of the API, the CLI and the console."""
        return {
            "code": self.code,
            "message": self.message,
            "field": self.field,
            "position": list(self.position) if self.position else None,
            "suggestion": self.suggestion,
        }


class BusyError(RuntimeError):
    """Nothing was done: the store gave no answer, or others kept changing the item. Try again."""
