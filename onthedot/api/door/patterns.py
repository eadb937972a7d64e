"""Defines the forms of texts: a pattern each, and what a caller is told who misses it."""

from __future__ import annotations

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$"
CALENDAR_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
HANDLER = r"^[A-Za-z_][A-Za-z0-9_.-]{0,199}$"
QUEUE = r"^[a-z0-9-]{1,64}$"
OWNER = r"^(api|console|(code|file):[^\s:]{1,100})$"
# Printable ASCII. The host has none of the letters that end it.
URL = r"^https?://[!\"$-.0->@-~]{1,255}([/?][!-~]{0,2000})?$"
QUEUE_URL = r"^https?://[!-~]{1,2000}$"
ARN = r"^arn:[^\s]{1,2000}$"
SECRET = r"^(arn:|ssm:/)[^\s]{1,2000}$"  # noqa: S105  # a place of a secret, not a secret
HEADER_NAME = r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$"
HEADER = r"^[!-~][ -~]{0,2000}$|^$"
GROUP = r"^[!-~]{1,128}$"
STATUS = r"^[2-5]([0-9][0-9]|xx)$"

_LETTERS = "letters from A to Z, digits, dots, dashes and underscores"
SAID = {
    NAME: f"1 to 200 {_LETTERS}, beginning with a letter or a digit",
    CALENDAR_ID: f"1 to 64 {_LETTERS}, beginning with a letter or a digit",
    HANDLER: f"1 to 200 {_LETTERS}, beginning with a letter or an underscore",
    QUEUE: "1 to 64 small letters, digits and dashes",
    OWNER: "'api', 'console', 'code:<app>' or 'file:<owner>'",
    URL: "an address of ASCII without blanks, such as https://example.com/hook",
    QUEUE_URL: "the queue's address, such as https://sqs.eu-west-1.amazonaws.com/123456789012/name",
    ARN: "an ARN, which begins with arn:",
    SECRET: "where the secret is kept: an ARN, or ssm:/path",
    HEADER_NAME: "1 to 64 letters, digits and dashes",
    HEADER: "one line of ASCII, up to 2,001 characters, without a blank at its start",
    GROUP: "1 to 128 characters of ASCII without blanks",
    STATUS: "'200' to '599', or a class such as '2xx'",
}
