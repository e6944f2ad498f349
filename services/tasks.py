"""Cloud Tasks, by plain HTTP: its client library takes thrice the time to the first 200."""

import base64
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import urllib3

from services.errors import Refused, Unavailable

_RETRY = urllib3.Retry(
    total=2,
    status_forcelist={429, 500, 502, 503, 504},
    allowed_methods=None,
    raise_on_status=False,
    respect_retry_after_header=False,
)
"""At once and under the same name: an error is often the answer to a task that was accepted."""


CONNECTIONS = 8
"""How many requests are under way together, at most."""


def http_client() -> urllib3.PoolManager:
    """Return the connections of the path to the first 200, with time-outs LINE can wait for."""
    return urllib3.PoolManager(
        timeout=urllib3.Timeout(connect=2, read=4), retries=_RETRY, maxsize=CONNECTIONS
    )


class Tasks:
    """Make tasks in this deployment's queues."""

    def __init__(
        self,
        queues: str,
        *,
        url: str,
        access_token: Callable[[], str],
        http: urllib3.PoolManager,
    ) -> None:
        """Take the parent of all queues, such as projects/P/locations/L/queues."""
        self._queues = queues
        self._url = url
        self._access_token = access_token
        self._http = http

    def create(
        self,
        queue: str,
        name: str,
        *,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        deadline: int,
        at: datetime | None = None,
        account: str = "",
    ) -> None:
        """Make a task that POSTs a body to an address; a name already taken is success.

        Args:
            queue: The queue's short name.
            name: The task's, of letters, digits, hyphens and underscores.
            url: Where the body is POSTed.
            headers: With which headers.
            body: As it is.
            deadline: Seconds the address may take to answer, 15 to 1800.
            at: When, at most thirty days ahead; by default at once.
            account: Whose identity token is shown to the function there, if it is private.

        Raises:
            Unavailable: Cloud Tasks could not be reached, or could not take it now.
            Refused: it never will.
        """
        queue_path = f"{self._queues}/{queue}"
        asked: dict[str, Any] = {
            "url": url,
            "httpMethod": "POST",
            "headers": dict(headers),
            "body": base64.b64encode(body).decode(),
        }
        if account:
            asked["oidcToken"] = {"serviceAccountEmail": account, "audience": _audience(url)}
        task: dict[str, Any] = {
            "name": f"{queue_path}/tasks/{name}",
            "dispatchDeadline": f"{deadline}s",
            "httpRequest": asked,
        }
        if at:
            task["scheduleTime"] = at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        status = self._post(f"{self._url}/v2/{queue_path}/tasks", {"task": task})
        if status in {200, 409}:
            return
        if status == 429 or status >= 500:
            raise Unavailable(f"Cloud Tasks answered {status}")
        raise Refused(f"Cloud Tasks answered {status}")

    def _post(self, url: str, body: object) -> int:
        headers = {
            "Authorization": f"Bearer {self._access_token()}",
            "Content-Type": "application/json",
        }
        try:
            return self._http.request(
                "POST", url, body=json.dumps(body).encode(), headers=headers
            ).status
        except urllib3.exceptions.HTTPError as error:
            raise Unavailable("Cloud Tasks did not answer") from error


def _audience(url: str) -> str:
    """Return the function that an address is of: its host and name, without path and query."""
    return "/".join(url.partition("?")[0].split("/")[:4])
