"""Writes a page for each problem: what it means, and what to do about it."""

from __future__ import annotations

from onthedot.records.problems import KINDS, slug

_TEXTS = {
    "invalid_request": (
        (
            "The request cannot be read. Its body is not a JSON object in UTF-8 or is nested "
            "too deep, or a parameter in the address has a wrong type or is out of range."
        ),
        (
            "Compare the request with the route in `/v1/openapi.json`. `errors` names the "
            "parameter where there is one."
        ),
    ),
    "unknown_field": (
        (
            "The body or the address has a field that this route does not know. It is refused, "
            "because ignoring a mistyped field would change what the request means."
        ),
        "Use the `suggestion` if it is what you meant, or leave the field out.",
    ),
    "read_only_field": (
        (
            "Only the system writes this field. The request has another value for it than the "
            "present one."
        ),
        "Leave the field out, or send it exactly as you read it.",
    ),
    "cursor_mismatch": (
        (
            "The cursor was made for another list, other filters or another tenant, or "
            "somebody changed it."
        ),
        "Start the list again without a cursor, and keep the filters the same from page to page.",
    ),
    "unsupported_filter": (
        "This list does not have this filter, because it would have to read everything.",
        "`detail` names a filter or a list that answers the question.",
    ),
    "unauthenticated": (
        (
            "The request has no API key, or a key that is not valid: it is mistyped, has "
            "expired or was revoked."
        ),
        "Send `Authorization: Bearer otd_…`. An admin makes a new key with `POST /v1/keys`.",
    ),
    "forbidden": (
        "The key is valid, but its role does not include this route.",
        "Use a key of the role that `detail` names.",
    ),
    "not_found": (
        "Nothing has this id or name, or it belongs to another tenant. Both get the same answer.",
        "Check the id and your key. The name of a deleted schedule is free again.",
    ),
    "method_not_allowed": (
        "The address exists, but not with this method.",
        "The header `Allow` lists its methods.",
    ),
    "name_taken": (
        "Another schedule of the tenant has this name.",
        "Choose another name, or change the schedule that has it: `PUT /v1/schedules/{name}`.",
    ),
    "idempotency_in_progress": (
        (
            "A request with the same Idempotency-Key is under way, or it ended without an "
            "answer less than 30 seconds ago."
        ),
        "Wait as long as `Retry-After` says, then send it again.",
    ),
    "plan_stale": (
        (
            "The plan was made for another request or more than ten minutes ago, or what it "
            "would change has changed since."
        ),
        (
            "Send the request with `?dry_run=true` again, and look at the new plan before you "
            "use its token."
        ),
    ),
    "already_started": (
        "The run has started, so you can no longer cancel or move its task.",
        "Cancel the run: `POST /v1/runs/{run_id}/cancel`.",
    ),
    "already_finished": (
        "The run has its outcome, or the backfill or operation has ended. That never changes.",
        "Replay the run, or start another backfill or operation for what is left.",
    ),
    "not_dead": (
        "The run is still open, its payload is gone, or its row stands for many slots.",
        "If the run is open, cancel it first. Otherwise trigger its schedule or start a backfill.",
    ),
    "calendar_in_use": (
        "Schedules name this calendar. If it were deleted, they would fire on its days.",
        "Remove it from the `calendars` of the schedules that `detail` names, then delete it.",
    ),
    "last_admin_key": (
        (
            "No other admin key of the operator's tenant is valid. Without this one, nobody "
            "could make keys."
        ),
        "Make another admin key with `POST /v1/keys`, then revoke this one with it.",
    ),
    "lease_lost": (
        (
            "The run no longer belongs to your attempt: the lease or the time of the attempt is "
            "over, the attempt already has another outcome, or the run was cancelled."
        ),
        "Stop the work. The report in this request was not recorded.",
    ),
    "version_mismatch": (
        "It has changed since you read it, or you asked for a new one and it exists already.",
        (
            "Read it again, apply your change to the new state, and send that with the new "
            "`ETag` in `If-Match`."
        ),
    ),
    "version_required": (
        (
            "To replace a whole schedule you must say which version you replace. So you cannot "
            "overwrite a change that you have not seen."
        ),
        'Send `If-Match: "<version>"`, or `If-Match: *` to replace any version.',
    ),
    "payload_too_large": (
        (
            "The body is larger than 300,000 bytes, a payload is larger than 256 kB, or the rest "
            "of a schedule or task is larger than 280,000 bytes."
        ),
        "Store large payloads elsewhere and send their address.",
    ),
    "unsupported_media_type": (
        "The request says that its body is not JSON.",
        "Send `Content-Type: application/json`.",
    ),
    "invalid_schedule": (
        "The expression, its zone or its bounds are not valid, or never fire.",
        (
            "`errors` says which part of the text is wrong, why, and what to write instead. "
            "Try it with `POST /v1/cron/preview`."
        ),
    ),
    "invalid_target": (
        "The target lacks a field, or has a field that its type does not take.",
        "`errors` names the field. Never write a secret itself: name it with `secret_ref`.",
    ),
    "invalid_field": (
        "A field has a wrong type, is out of range or contradicts another.",
        "`errors` names the field and says what is expected.",
    ),
    "run_at_in_past": (
        "The time of a one-off task is further in the past than its `misfire_grace_sec` allows.",
        "Send a time in the future or a `delay_sec`, or send neither to run it now.",
    ),
    "idempotency_key_reused": (
        "This Idempotency-Key was sent before with another body.",
        "Use a new key for a new request. Repeat a request with exactly the same body.",
    ),
    "target_forbidden": (
        (
            "The target's address is not public, or the tenant may not call the target, or it "
            "belongs to the scheduler."
        ),
        (
            "Use a public address, or ask the operator to open the network to targets "
            "(the setting `target_networks`). For a queue, topic, function, bus, state machine, "
            "secret or handler: ask the operator to name it in the tenant's `targets` (`PUT "
            "/v1/tenants/{tenant_id}`). The scheduler's own queues, functions and topic cannot "
            "be targets."
        ),
    ),
    "quota_exceeded": (
        "The tenant has as many tasks as it may have.",
        "Delete tasks that you do not need, or ask an admin for a higher quota.",
    ),
    "rate_limited": (
        "The tenant has made as many requests in this minute as it may.",
        (
            "Wait as long as `Retry-After` says. In every answer, `RateLimit` says how many "
            "requests are left."
        ),
    ),
    "internal": (
        "Something is wrong on our side. Our log has it under the request's id.",
        (
            "Repeat the request with the same Idempotency-Key. If it fails again, report the "
            "`request_id`."
        ),
    ),
    "unavailable": (
        "The store is busy or cannot be reached for a moment.",
        "Repeat the request after `Retry-After`, with the same Idempotency-Key.",
    ),
}


def page(code: str) -> str:
    """Writes the page of a code, in Markdown."""
    kind = KINDS[code]
    meaning, remedy = _TEXTS[code]
    lines = [f"# {kind.title}", "", f"`{code}`, status {kind.status}.", ""]
    lines += ["## What it means", "", meaning, "", "## What to do", "", remedy, ""]
    return "\n".join(lines)


def code_of(name: str) -> str | None:
    """Returns the code that an address stands for."""
    return next((code for code in KINDS if name in (code, slug(code))), None)
