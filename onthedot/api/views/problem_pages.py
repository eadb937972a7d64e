"""Writes a page for each problem: what it means, and what to do about it."""

from __future__ import annotations

from onthedot.records.problems import KINDS, slug

_TEXTS = {
    "invalid_request": (
        (
            "The request cannot be read: its body is no JSON object in UTF-8, is nested too deep,"
            " or a parameter in the address has a wrong type or is out of range."
        ),
        (
            "Compare the request with the route in `/v1/openapi.json`. `errors` names the "
            "parameter where there is one."
        ),
    ),
    "unknown_field": (
        (
            "The body or the address has a field that this route does not know. It is refused, "
            "because a mistyped field that is silently passed over changes what the request "
            "means."
        ),
        "Take the `suggestion` if it is what you meant, or leave the field out.",
    ),
    "read_only_field": (
        "A field that the system alone writes came with another value than the present one.",
        "Leave the field out, or send it exactly as it was read.",
    ),
    "cursor_mismatch": (
        (
            "The cursor was made for another list, other filters or another tenant, or it was "
            "changed on its way."
        ),
        "Start the list again without a cursor, and keep the filters the same from page to page.",
    ),
    "unsupported_filter": (
        "This list cannot be filtered so: it would have to read everything.",
        "`detail` says which filter does it, or which list does.",
    ),
    "unauthenticated": (
        (
            "No API key came along, or the one that did is not valid: it is mistyped, has "
            "expired or was revoked."
        ),
        "Send `Authorization: Bearer otd_…`. An admin makes a new key with `POST /v1/keys`.",
    ),
    "forbidden": (
        "The key is good, but its role does not include this route.",
        "Use a key of the role that `detail` names.",
    ),
    "not_found": (
        (
            "There is nothing of that id or name, or it belongs to another tenant, which looks "
            "the same."
        ),
        "Check the id and the key that you use. Names of deleted schedules are free again.",
    ),
    "method_not_allowed": (
        "The address exists, but not with this method.",
        "The header `Allow` lists the methods that it has.",
    ),
    "name_taken": (
        "Another schedule of the tenant has this name.",
        "Choose another name, or change the schedule that has it: `PUT /v1/schedules/{name}`.",
    ),
    "idempotency_in_progress": (
        (
            "A request with the same Idempotency-Key is under way, or ended without an answer "
            "less than 30 seconds ago."
        ),
        "Wait as long as `Retry-After` says and send it again.",
    ),
    "plan_stale": (
        (
            "The plan was made for another request, more than ten minutes ago, or what it was "
            "about has changed since."
        ),
        (
            "Send the request with `?dry_run=true` again and look at its effects before you use "
            "the new token."
        ),
    ),
    "already_started": (
        "The run has started, so its task can no longer be taken back or moved.",
        "Cancel the run: `POST /v1/runs/{run_id}/cancel`.",
    ),
    "already_finished": (
        "The run has its outcome, and an outcome is never changed.",
        "Replay the run if it is to run once more.",
    ),
    "not_dead": (
        "Only a dead run can be replayed or purged as a dead letter.",
        "Look at its status. `POST /v1/runs/{run_id}/replay` replays a run of any outcome.",
    ),
    "calendar_in_use": (
        "Schedules name the calendar, so it cannot be deleted: they would fire on its days.",
        "Take it out of the `calendars` of the schedules that `detail` names, then delete it.",
    ),
    "last_admin_key": (
        "No other admin key of the operator's tenant opens, so no one could make keys any more.",
        "Make another admin key with `POST /v1/keys`, then revoke this one with it.",
    ),
    "lease_lost": (
        "Your attempt is not the newest one: its lease ended and another worker took over.",
        "Stop the work. Only the outcome of the newer attempt is recorded.",
    ),
    "version_mismatch": (
        "The thing has changed since you read it, or it exists although only a new one was wanted.",
        (
            "Read it again, apply your change to what it is now, and send that with the new "
            "`ETag` in `If-Match`."
        ),
    ),
    "version_required": (
        (
            "Replacing a whole schedule needs to say which version is replaced, so that no one's "
            "change is lost unseen."
        ),
        'Send `If-Match: "<version>"`, or `If-Match: *` to replace whatever there is.',
    ),
    "payload_too_large": (
        "The body is larger than 300,000 bytes, or a payload larger than 256 kB.",
        "Keep large payloads elsewhere and send where they are.",
    ),
    "unsupported_media_type": (
        "The body says that it is something else than JSON.",
        "Send `Content-Type: application/json`.",
    ),
    "invalid_schedule": (
        "The expression, its zone or its bounds are not valid, or never fire.",
        (
            "`errors` says where in the text, why, and what to write instead. Try it with `POST "
            "/v1/cron/preview`."
        ),
    ),
    "invalid_target": (
        "The target lacks something, or has something that its type does not take.",
        "`errors` names the field. Secrets are referred to by `secret_ref`, never written down.",
    ),
    "invalid_field": (
        "A field has a wrong type, is out of range or contradicts another.",
        "`errors` names the field and what is expected of it.",
    ),
    "run_at_in_past": (
        "The time of a one-off task has passed by more than its `misfire_grace_sec`.",
        "Send a time to come, a `delay_sec`, or none to run it now.",
    ),
    "idempotency_key_reused": (
        "The same key came before with another body.",
        "Use a new key for a new request; repeat a request with exactly the same body.",
    ),
    "target_forbidden": (
        (
            "The target is at an address that is not public, is not among the tenant's own, or "
            "belongs to the scheduler."
        ),
        (
            "Use a public address, or ask the operator to open the network to targets "
            "(`TARGET_NETWORKS`). For a queue, topic, function, bus, state machine, secret or "
            "handler: ask the operator to name it in the tenant's `targets` "
            "(`PUT /v1/tenants/{tenant_id}`). The scheduler's own queues, functions and topic "
            "cannot be targets."
        ),
    ),
    "quota_exceeded": (
        "The tenant has as many tasks as it may have.",
        "Delete what is not needed, or ask an admin for a higher quota.",
    ),
    "rate_limited": (
        "The tenant has made as many requests in this minute as it may.",
        "Wait as long as `Retry-After` says. `RateLimit` tells in every answer how many are left.",
    ),
    "internal": (
        "Something is wrong on our side. It is logged under the request's id.",
        (
            "Repeat the request with the same Idempotency-Key. If it fails again, report the "
            "`request_id`."
        ),
    ),
    "unavailable": (
        "The store is busy or out of reach for a moment.",
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
