"""The tables as pynamodb models, for single items in the api function; never on the hot path."""

from __future__ import annotations

from pynamodb.attributes import NumberAttribute, TTLAttribute, UnicodeAttribute
from pynamodb.indexes import GlobalSecondaryIndex, IncludeProjection, KeysOnlyProjection
from pynamodb.models import Model

from onthedot.adapters import aws
from onthedot.core import schema


class Due(GlobalSecondaryIndex["Part"]):
    """What is due, by shard."""

    class Meta:
        index_name = schema.DUE.name
        projection = IncludeProjection(list(schema.DUE.carries))

    due_shard = NumberAttribute(hash_key=True)
    next_run_at = UnicodeAttribute(range_key=True)


class ByTenant(GlobalSecondaryIndex["Part"]):
    """A tenant's schedules or tasks, by age."""

    class Meta:
        index_name = schema.BY_TENANT.name
        projection = IncludeProjection(list(schema.BY_TENANT.carries))

    listed = UnicodeAttribute(hash_key=True)
    created_at = UnicodeAttribute(range_key=True)


class Part(Model):
    """One part of a task: the spec, the cursor, a revision."""

    class Meta:
        table_name = aws.table("tasks")

    task_id = UnicodeAttribute(hash_key=True)
    part = UnicodeAttribute(range_key=True)
    expires_at = TTLAttribute(null=True)
    due = Due()
    by_tenant = ByTenant()


class Attention(GlobalSecondaryIndex["Row"]):
    """A tenant's runs that want somebody to look, by outcome and time."""

    class Meta:
        index_name = schema.ATTENTION.name
        projection = IncludeProjection(list(schema.ATTENTION.carries))

    attention = UnicodeAttribute(hash_key=True)
    attention_at = UnicodeAttribute(range_key=True)


class Pull(GlobalSecondaryIndex["Row"]):
    """A pull queue's runs, by priority and time."""

    class Meta:
        index_name = schema.PULL.name
        projection = KeysOnlyProjection()

    pull = UnicodeAttribute(hash_key=True)
    pull_at = UnicodeAttribute(range_key=True)


class Row(Model):
    """A run, a gate, a manifest: what there is of a task's firing."""

    class Meta:
        table_name = aws.table("runs")

    task_id = UnicodeAttribute(hash_key=True)
    scheduled_for = UnicodeAttribute(range_key=True)
    expires_at = TTLAttribute(null=True)
    attention = Attention()
    pull = Pull()


class Grant(Model):
    """Keys, tenants, quotas, audit: what only the api function may touch."""

    class Meta:
        table_name = aws.table("access")

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    expires_at = TTLAttribute(null=True)
