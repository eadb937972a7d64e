"""Makes clients of the emulated cloud. Those of `store` go where the environment says."""

from __future__ import annotations

from functools import cache
from typing import Any

from botocore.config import Config
from botocore.session import Session, get_session

REGION = "us-east-1"
ACCOUNT = "000000000000"
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


@cache
def _session() -> Session:
    """Reads the models of the services once."""
    return get_session()


def client(service: str, endpoint: str) -> Any:  # noqa: ANN401 botocore makes clients at run time
    return _session().create_client(
        service,
        region_name=REGION,
        endpoint_url=endpoint,
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
    )
