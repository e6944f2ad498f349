"""A loopback Cloud Storage: as much of it as keeps Terraform's state, locks and generations too."""

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email import message_from_bytes

from flask import Flask, Response, request

from local.loopback import Server

_TOKEN = "local-access-token"


@dataclass(frozen=True, slots=True)
class _Stored:
    content: bytes
    generation: int


class StateBucket:
    """One bucket on a free port of 127.0.0.1, from `with` to its end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._objects: dict[str, _Stored] = {}
        self._generations = itertools.count(1)
        app = Flask("storage")
        paths: Mapping[tuple[str, str], Callable[..., Response]] = {
            ("GET", f"/storage/v1/b/{name}/o"): self._list,
            ("POST", f"/upload/storage/v1/b/{name}/o"): self._write,
            ("GET", f"/storage/v1/b/{name}/o/<path:stored>"): self._describe,
            ("DELETE", f"/storage/v1/b/{name}/o/<path:stored>"): self._delete,
            ("GET", f"/{name}/<path:stored>"): self._read,
        }
        for (method, rule), view in paths.items():
            app.add_url_rule(rule, f"{method} {rule}", view, methods=[method])
        app.before_request(_authenticated)
        self._server = Server(app)

    def __enter__(self) -> "StateBucket":
        self._server.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.stop()

    @property
    def environment(self) -> dict[str, str]:
        """What makes Terraform's `gcs` backend come here, as somebody who may."""
        return {
            "GOOGLE_BACKEND_STORAGE_CUSTOM_ENDPOINT": f"{self._server.url}/storage/v1/",
            "GOOGLE_OAUTH_ACCESS_TOKEN": _TOKEN,
        }

    @property
    def objects(self) -> dict[str, bytes]:
        """What lies in it, by name."""
        return {name: stored.content for name, stored in self._objects.items()}

    def _list(self) -> Response:
        prefix = request.args.get("prefix", "")
        names = sorted(name for name in self._objects if name.startswith(prefix))
        return _json({"kind": "storage#objects", "items": list(map(self._resource, names))})

    def _write(self) -> Response:
        name = request.args["name"]
        if not self._is_expected(name):
            return _json({"error": {"code": 412, "message": "conditionNotMet"}}, 412)
        head = f"Content-Type: {request.content_type}\r\n\r\n".encode()
        *_, content = message_from_bytes(head + request.get_data()).walk()
        payload = bytes(content.get_payload(decode=True))
        self._objects[name] = _Stored(payload, next(self._generations))
        return _json(self._resource(name))

    def _describe(self, stored: str) -> Response:
        return _json(self._resource(stored)) if stored in self._objects else _missing()

    def _delete(self, stored: str) -> Response:
        if stored not in self._objects:
            return _missing()
        if not self._is_expected(stored):
            return _json({"error": {"code": 412, "message": "conditionNotMet"}}, 412)
        del self._objects[stored]
        return Response(status=204)

    def _read(self, stored: str) -> Response:
        if stored not in self._objects:
            return _missing()
        kept = self._objects[stored]
        generation = {"X-Goog-Generation": str(kept.generation), "X-Goog-Metageneration": "1"}
        return Response(kept.content, headers=generation, content_type="application/json")

    def _is_expected(self, name: str) -> bool:
        """Say whether an object is of the generation the caller knows; 0: not there."""
        expected = request.args.get("ifGenerationMatch", type=int)
        if expected is None:
            return True
        return expected == (self._objects[name].generation if name in self._objects else 0)

    def _resource(self, name: str) -> dict[str, str]:
        stored = self._objects[name]
        return {
            "kind": "storage#object",
            "bucket": self._name,
            "name": name,
            "generation": str(stored.generation),
            "metageneration": "1",
            "size": str(len(stored.content)),
        }


def _authenticated() -> Response | None:
    if request.headers.get("Authorization") == f"Bearer {_TOKEN}":
        return None
    return _json({"error": {"code": 401, "message": "Invalid Credentials"}}, 401)


def _missing() -> Response:
    return _json({"error": {"code": 404, "message": "No such object"}}, 404)


def _json(body: object, status: int = 200) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")
