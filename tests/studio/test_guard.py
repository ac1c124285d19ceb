"""Who may talk to the studio, without a socket."""

from types import SimpleNamespace

import pytest

from paraxis.studio.guard import MOST_CONNECTIONS, MOST_UPLOAD, Guard, Messages, is_local


class Headers(dict):
    def get_all(self, name):
        found = self.get(name, [])
        return [found] if isinstance(found, str) else found


OWN = {"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080"}


def status(guard, path="/", socket=True, **headers):
    found = guard.refuses(path, Headers(OWN | headers), socket)
    return found and found.status


@pytest.mark.parametrize(
    "host, local",
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
    ],
)
def test_a_token_is_needed_unless_only_this_machine_connects(host, local):
    assert is_local(host) is local and (Guard.of(host).token is None) is local


def test_only_pages_of_the_server_connect():
    guard = Guard()
    assert status(guard) is None and status(guard, Origin=[], socket=False) is None
    assert status(guard, Host="localhost:9", Origin="http://localhost:9") is None  # a tunnel
    assert status(guard, Host="[::1]:8", Origin="http://[::1]:8") is None
    assert status(guard, Origin=[]) == 403  # a browser always states it
    for origin in (
        "http://example.org",
        "http://127.0.0.1:3000",
        "http://127.0.0.1:8080.example.org",
        "http://localhost:8080",
        "null",
        "",
        "file://",
    ):
        assert status(guard, Origin=origin) == 403
        assert status(guard, Origin=origin, socket=False) == 403
    for host in ("example.org", "127.0.0.1.example.org:8080", "", "127.0.0.1@example.org"):
        assert status(guard, Host=host, Origin=f"http://{host}") == 403
    assert status(guard, Host=[]) == status(guard, Host=["a", "b"]) == 400
    assert status(guard, Host="[::1", Origin="http://[::1") == 400
    assert status(guard, Origin=["http://127.0.0.1:8080"] * 2) == 400


def test_the_token_comes_once_and_is_kept_by_a_cookie():
    guard = Guard.of("0.0.0.0")
    assert len(guard.token) >= 32 and guard.token != Guard.of("0.0.0.0").token
    far = {"Host": "lab:8080", "Origin": "http://lab:8080"}
    assert status(guard, **far) == 401 and status(guard, socket=False, **far) == 401
    path = f"/?token={guard.token}"
    assert status(guard, path, **far) == 401  # a socket has the cookie
    found = guard.refuses(path, Headers(far), False)
    assert found.status == 303 and "HttpOnly; SameSite=Strict" in found.cookie
    kept = found.cookie.partition(";")[0]
    assert status(guard, Cookie=f"a=b; {kept}", **far) is None
    assert status(guard, Cookie=kept, Host="lab:8080", Origin="http://evil") == 403
    for wrong in (kept[:-1], kept + "x", kept.upper(), "=", "é", f"{guard.cookie}=é"):
        assert status(guard, Cookie=wrong, **far) == 401
    for wrong in ("", "x", guard.token[:-1], "%C3%A9", "%00"):
        assert status(guard, f"/?token={wrong}", False, **far) == 401
    assert status(guard, "/?" + "&".join("a=b" for _ in range(99)), False, **far) == 400


def test_connections_are_limited():
    guard = Guard(connections=MOST_CONNECTIONS)
    assert status(guard) == 503 and status(guard, socket=False) is None


def message(kind, **fields):
    return type(kind, (SimpleNamespace,), {})(**fields)


def heard(*given):
    """What a connection passes on of messages."""
    queue = list(given)
    messages = Messages(lambda _: queue.pop(0))
    return [messages.takes(b"") for _ in given]


def begin(size=10, name="a", parts=1):
    return message("FileTransferStartUpload", size_bytes=size, part_count=parts, transfer_uuid=name)


def part(content=b"12345", name="a"):
    return message("FileTransferPart", content=content, transfer_uuid=name)


def test_messages_that_the_studio_has_no_use_for_are_ignored():
    kinds = ("GuiUpdateMessage", "ShareUrlRequest", "RunJavascriptMessage", "Message")
    assert heard(*map(message, kinds)) == [True, False, False, False]


@pytest.mark.parametrize("raw", ["text", b"\xc1", b""])
def test_malformed_messages_end_the_connection(raw):
    with pytest.raises(ValueError, match="bytes|malformed"):
        Messages(lambda raw: 1 / 0).takes(raw)


def test_uploads_are_bounded():
    assert heard(begin(), part(), part(), part()) == [True, True, True, False]
    assert heard(part(), begin(), part(b"")) == [False, True, False]
    for wrong in (
        [begin(MOST_UPLOAD + 1)],
        [begin(-1)],
        [begin("10")],
        [begin(parts=None)],
        [begin(4), part()],
        [begin(), part("text")],
        [begin(name=str(k)) for k in range(9)],
    ):
        with pytest.raises(ValueError):
            heard(*wrong)
