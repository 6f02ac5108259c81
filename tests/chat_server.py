"""A stand-in for a model's server, for tests of agents: it speaks the OpenAI chat-completions wire
format on the loopback interface and plays the assistant's turns from a script.

    python tests/chat_server.py SCRIPT [--record FILE] [--key KEY]

SCRIPT is a JSON list of turns, played in order. A turn is one of

    {"content": "text"}                                     the assistant answers
    {"tool_calls": [{"name": "…", "arguments": {…}}, …]}    it calls tools; `arguments` may be a
                                                            string, sent as it is; `id` is optional
    {"status": 500, "body": "text"}                         the server fails

It prints its base URL on the first line of its output and serves until it is ended. Each request is
checked as the real server would, then appended to FILE as one line of JSON:
{"path", "authorization", "body"}. `GET /requests` gives the list of bodies so far. After the last
turn, requests are answered with 500.
"""

from __future__ import annotations

import argparse
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Refused(Exception):  # noqa: N818
    """A request that the real server would not take."""

    def __init__(self, status: int, message: str) -> None:
        """The HTTP status and the error's message."""
        super().__init__(message)
        self.status = status


class ChatServer(ThreadingHTTPServer):
    """The server with its script."""

    daemon_threads = True

    def __init__(self, turns: list[dict[str, Any]], record: Path | None, key: str | None) -> None:
        """Listens on a free port of the loopback interface."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns = turns
        self.record = record
        self.key = key
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    def next_turn(self, path: str, authorization: str, body: dict[str, Any]) -> dict[str, Any]:
        """Records a request and gives the turn that answers it."""
        with self.lock:
            number = len(self.requests)
            self.requests.append(body)
            if self.record is not None:
                line = {"path": path, "authorization": authorization, "body": body}
                with self.record.open("a") as file:
                    file.write(json.dumps(line) + "\n")
        if number >= len(self.turns):
            return {"status": 500, "body": f"the script has only {len(self.turns)} turns"}
        return {"number": number, **self.turns[number]}


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """`/requests`: what was asked so far."""
        if self.path == "/requests":
            self.answer(200, self.server.requests)
        else:
            self.fail(404, "no such page")

    def do_POST(self) -> None:
        """`/v1/chat/completions`."""
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        authorization = self.headers.get("Authorization", "")
        try:
            if self.path != "/v1/chat/completions":
                raise Refused(404, f"no such page: {self.path}")
            if self.server.key is not None and authorization != f"Bearer {self.server.key}":
                raise Refused(401, "Incorrect API key provided.")
            try:
                body = json.loads(raw)
            except ValueError as error:
                raise Refused(400, f"the body is not JSON: {error}") from None
            check(body)
        except Refused as refused:
            self.fail(refused.status, str(refused))
            return
        turn = self.server.next_turn(self.path, authorization, body)
        if "status" in turn:
            self.fail(turn["status"], turn.get("body", ""))
        else:
            self.answer(200, completion(turn, body["model"]))

    def fail(self, status: int, message: str) -> None:
        """Answers with an error."""
        self.answer(status, {"error": {"message": message, "type": "invalid_request_error"}})

    def answer(self, status: int, data: Any) -> None:
        """Answers with JSON."""
        payload = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Says nothing."""


def check(body: Any) -> None:
    """Refuses what the real server refuses."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise Refused(400, "you must provide a model parameter")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "`messages` must be a list with at least one message")
    for tool in body.get("tools", []):
        function = tool.get("function", {})
        if tool.get("type") != "function" or not isinstance(function.get("name"), str):
            raise Refused(400, "each of `tools` must be a function with a name")
        if not isinstance(function.get("parameters", {}), dict):
            raise Refused(400, "`parameters` of a function must be an object")
    waiting: list[str] = []
    for message in messages:
        role = message.get("role")
        if role == "tool":
            call = message.get("tool_call_id")
            if call not in waiting or not isinstance(message.get("content"), str):
                raise Refused(400, f"the tool message for {call!r} answers no call")
            waiting.remove(call)
            continue
        if waiting:
            raise Refused(400, f"these tool calls have no answer: {', '.join(waiting)}")
        if role not in ("system", "developer", "user", "assistant"):
            raise Refused(400, f"{role!r} is no role")
        if role == "assistant":
            waiting = [call["id"] for call in message.get("tool_calls") or []]
    if waiting:
        raise Refused(400, f"these tool calls have no answer: {', '.join(waiting)}")


def completion(turn: dict[str, Any], model: str) -> dict[str, Any]:
    """A turn as the real server sends it."""
    message: dict[str, Any] = {"role": "assistant", "content": turn.get("content")}
    calls = [
        {
            "id": call.get("id", f"call_{turn['number']}_{index}"),
            "type": "function",
            "function": {
                "name": call["name"],
                "arguments": call["arguments"]
                if isinstance(call["arguments"], str)
                else json.dumps(call["arguments"]),
            },
        }
        for index, call in enumerate(turn.get("tool_calls", []))
    ]
    if calls:
        message["tool_calls"] = calls
    return {
        "id": f"chatcmpl-{turn['number']}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if calls else "stop",
            }
        ],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description="A stand-in chat server.")
    parser.add_argument("script", type=Path, help="the turns, a JSON list")
    parser.add_argument("--record", type=Path, help="a file to append the requests to")
    parser.add_argument("--key", help="the API key that requests must carry")
    args = parser.parse_args()
    server = ChatServer(json.loads(args.script.read_text()), args.record, args.key)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
