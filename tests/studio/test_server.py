"""The studio's server on real sockets: who gets in, what ends a connection, and what does not."""

import http.client
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress

import pytest

pytest.importorskip("viser", reason="viser is not installed")

import msgspec
import viser
from support.processes import SOURCE
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import paraxis as px
from paraxis.studio.guard import MOST_MESSAGE
from paraxis.studio.opening import by_name, line_of
from paraxis.studio.studio import Studio

# what viser says when it sends something to who has just gone
pytestmark = pytest.mark.filterwarnings("ignore:Queued a .* on a closed connection")

CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": [1.0, 0.0, 0.0, 0.0],
    "position": [1.0, 1.0, 1.0],
    "fov": 1.0,
    "near": 0.1,
    "far": 100.0,
    "look_at": [0.0, 0.0, 0.0],
    "up_direction": [0.0, 0.0, 1.0],
    "image_height": 100,
    "image_width": 100,
}


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    found = Studio(by_name("planar3"), line_of("planar3"), folder=folder)
    yield found
    found.stop()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    found = Studio(
        by_name("planar3"), line_of("planar3"), host="0.0.0.0",
        folder=tmp_path_factory.mktemp("studio"),
    )  # fmt: skip
    yield found
    found.stop()


def asked(studio, path="/", **headers):
    """(status, headers, body) of a request."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.served.port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        found = connection.getresponse()
        return found.status, found.headers, found.read()
    finally:
        connection.close()


def opened(studio, origin=None, protocol=f"viser-v{viser.__version__}", **headers):
    at = f"127.0.0.1:{studio.served.port}"
    return connect(
        f"ws://{at}/", origin=f"http://{at}" if origin is None else origin,
        subprotocols=[protocol], additional_headers=headers, open_timeout=10, close_timeout=2,
        max_size=None, compression=None,
    )  # fmt: skip


def refused(studio, **options):
    with pytest.raises(InvalidStatus) as error, opened(studio, **options):
        pass
    return error.value.response.status_code


@contextmanager
def came(studio):
    """The panel of someone who came."""
    before = set(studio.panels)
    with opened(studio) as socket:
        socket.send(msgspec.msgpack.encode(CAMERA))
        until(lambda: set(studio.panels) - before)
        (number,) = set(studio.panels) - before
        panel = studio.panels[number]
        until(lambda: panel.work.robot is not None)
        yield panel
    until(lambda: number not in studio.panels)


def works(studio):
    """Whether someone who comes gets a panel."""
    with came(studio) as panel:
        return panel.work.robot is not None


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.01)
    return True


def test_the_page_comes_with_what_keeps_it_to_itself(studio):
    status, headers, body = asked(studio)
    assert status == 200 and b"<html" in body
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY" and "token" not in studio.url
    assert asked(studio, "/../../etc/passwd")[0] == asked(studio, "/%2e%2e/x")[0] == 404


def test_it_listens_on_this_machine_only(studio):
    assert studio.served._socket.getsockname()[0] == "127.0.0.1"


def test_other_pages_and_other_names_are_refused(studio):
    assert asked(studio, Origin="http://example.org")[0] == 403
    assert asked(studio, Host="example.org")[0] == 403
    assert refused(studio, origin="http://example.org") == 403
    assert refused(studio, origin="null") == 403
    assert refused(studio, protocol="viser-v0.0.0") == 400
    assert works(studio)


def test_beyond_this_machine_the_token_is_needed(guarded):
    assert asked(guarded)[0] == 401 and asked(guarded, "/?token=guess")[0] == 401
    assert refused(guarded) == 401
    status, headers, _ = asked(guarded, guarded.url.partition("?")[0][-1:] + "?" + token(guarded))
    assert status == 303 and headers["Location"] == "/"
    cookie = headers["Set-Cookie"].partition(";")[0]
    assert asked(guarded, Cookie=cookie)[0] == 200
    assert refused(guarded, origin="http://example.org", Cookie=cookie) == 403
    with opened(guarded, Cookie=cookie) as socket:
        socket.send(msgspec.msgpack.encode(CAMERA))
        assert socket.recv(timeout=10)


def token(studio):
    return studio.url.partition("?")[2]


@pytest.mark.parametrize(
    "raw",
    [
        "text",
        b"",
        b"\xc1\xc1",
        b"\x80",
        msgspec.msgpack.encode({"type": "NoSuchMessage"}),
        msgspec.msgpack.encode({"type": "GuiUpdateMessage", "no": 1}),
        msgspec.msgpack.encode([1, 2]),
        b"\x91" * 100_000,
        b"x" * (MOST_MESSAGE + 1),
    ],
    ids=range(9),
)
def test_malformed_and_oversized_messages_end_only_their_connection(studio, raw):
    with opened(studio) as other, opened(studio) as socket:
        with pytest.raises(ConnectionClosed) as error:
            socket.send(raw)
            while True:
                socket.recv(timeout=10)
        assert error.value.rcvd.code in (1008, 1009)
        other.send(msgspec.msgpack.encode(CAMERA))
        assert other.recv(timeout=10)
    assert works(studio)


def test_absurd_values_harm_nobody(studio):
    with suppress(ConnectionClosed), opened(studio) as socket:  # at most it ends itself
        for wrong in (
            CAMERA | {"wxyz": "text", "fov": None},
            CAMERA | {"position": [float("nan")] * 3},
            {"type": "GuiUpdateMessage", "uuid": "none", "updates": {"value": 1}},
            {"type": "ShareUrlRequest"},
            CAMERA,
        ):
            socket.send(msgspec.msgpack.encode(wrong))
        assert socket.recv(timeout=10)
    assert studio.served.viser._share_tunnel is None
    assert works(studio)


def test_fifty_connections(studio):
    with ExitStack() as all_of_them:
        sockets = [all_of_them.enter_context(opened(studio)) for _ in range(50)]
        for socket in sockets:
            socket.send(msgspec.msgpack.encode(CAMERA))
        for socket in sockets:
            assert socket.recv(timeout=30)
        assert until(lambda: len(studio.panels) == 50, 60)
        works_of = [panel.work for panel in studio.panels.values()]
        assert len({id(work) for work in works_of}) == 50
        assert until(lambda: all(work.robot is not None for work in works_of), 60)
        works_of[0].set_coordinate(0, 0.5)
        assert works_of[1].q[0] == 0.0  # each has a posture of its own
    assert until(lambda: not studio.panels)
    assert works(studio)


def test_who_comes_again_goes_on_with_what_was_left(studio):
    from paraxis.studio.motions import simulate

    with came(studio) as panel:
        work = panel.work
        simulate(work, seconds=0.05)
        with came(studio) as other:
            assert other.work is not work
    with open(work.journal.path) as file:  # the browser has gone, and nothing is lost
        assert file.read() == work.journal.text
    with came(studio) as again:
        assert again.work is work
        with came(studio) as other:
            assert other.work is not work
    studio.left.clear()


def test_a_file_comes_in_parts_and_its_name_is_not_used(studio):
    text = px.load("ur5").to_urdf().encode()
    with opened(studio) as socket:
        socket.send(msgspec.msgpack.encode(CAMERA))
        until(lambda: studio.panels)
        (panel,) = studio.panels.values()
        until(lambda: panel.sliders and not panel.busy.locked())  # one command at a time
        begin = {
            "type": "FileTransferStartUpload",
            "source_component_uuid": panel.upload._impl.uuid,
            "transfer_uuid": "a",
            "filename": "../../escaped.urdf",
            "mime_type": "",
            "part_count": 2,
            "size_bytes": len(text),
        }
        socket.send(msgspec.msgpack.encode(begin))
        for k, content in enumerate((text[:1000], text[1000:])):
            part = {"type": "FileTransferPart", "part_index": k, "content": content}
            part |= {name: begin[name] for name in ("source_component_uuid", "transfer_uuid")}
            socket.send(msgspec.msgpack.encode(part))
        assert until(lambda: panel.work.robot.n == 6)
        until(lambda: panel.work.journal.path)
    until(lambda: not studio.panels)
    studio.left.clear()
    kept = {each.name for each in studio.folder.iterdir()}
    assert any(each.endswith("-1.urdf") for each in kept) and "escaped.urdf" not in kept


def test_an_address_that_cannot_be_listened_on(studio):
    with pytest.raises(px.ArgumentError, match="cannot listen"):
        Studio(by_name("planar3"), "", port=studio.served.port)
    with pytest.raises(px.ArgumentError, match="cannot listen"):
        Studio(by_name("planar3"), "", host="192.0.2.1")


def test_a_viser_that_cannot_be_guarded_is_not_started(monkeypatch):
    import websockets.asyncio.server as sockets

    real, stopped = viser.ViserServer, []

    class Other:  # starts in a way of its own
        def __init__(self, **options):
            pass

        def stop(self):
            stopped.append(self)

    monkeypatch.setattr(viser, "ViserServer", Other)
    serve = sockets.serve
    with pytest.raises(px.MissingPackageError, match="cannot be guarded"):
        Studio(by_name("planar3"), "")
    assert stopped and sockets.serve is serve and real is not Other


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as elsewhere than Windows")
def test_ctrl_c_ends_it(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "paraxis", "studio", "planar3", "--port", "0", "--no-browser"],
        cwd=tmp_path, env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert "http://127.0.0.1:" in process.stdout.readline()
        assert "Ctrl-C" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out.split()[-1], err) == (0, "ended", "")
        assert not [*tmp_path.iterdir()]  # who only looked leaves nothing
    finally:
        process.kill()
