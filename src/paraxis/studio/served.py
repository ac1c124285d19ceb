"""viser's server behind the guard, on a socket of our own.

viser has no way to ask who connects, nor to limit what is sent, so the one call with which it
starts to listen is taken over while it is made. If a version of viser starts in another way,
nothing listens and an error says so.
"""

import contextlib
import io
import socket
import threading
from http import HTTPStatus

from ..checks import shown
from ..errors import ArgumentError, MissingPackageError
from .guard import MOST_MESSAGE, Guard, Messages

POLICY = (  # of the page: nothing is fetched from elsewhere, and no other page frames it
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'; object-src 'none'"
)
SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_starting = threading.Lock()


class Served:
    """A viser server that only listens to whom the guard lets in; `viser` is its `ViserServer`."""

    def __init__(self, host="127.0.0.1", port=0, label="Paraxis studio"):
        viser = viser_package()
        self.guard, self.host = Guard.of(host), host
        self._socket = listening(host, port)
        self.port = self._socket.getsockname()[1]
        try:
            self.viser = self._started(viser, label)
        except BaseException:
            self._socket.close()
            raise

    @property
    def url(self):
        """The address to open; it has the token where one is needed."""
        host = self.host
        if host in ("0.0.0.0", "::", ""):
            host = socket.gethostname()
        host = f"[{host}]" if ":" in host else host
        token = "" if self.guard.token is None else f"?token={self.guard.token}"
        return f"http://{host}:{self.port}/{token}"

    def stop(self):
        """End all connections."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser.stop()
        self._socket.close()

    def _started(self, viser, label):
        import websockets.asyncio.server as sockets

        serve, calls = sockets.serve, []

        def guarded(handler, host=None, port=None, *, process_request, **options):
            calls.append(port)
            options |= {"max_size": MOST_MESSAGE, "sock": self._socket}
            asked = self._request(process_request, viser.__version__)
            return serve(self._handler(handler, viser), process_request=asked, **options)

        with _starting, contextlib.redirect_stdout(io.StringIO()):  # viser prints addresses
            sockets.serve = guarded
            try:
                # were it not taken over, only this machine could see it until it is stopped
                found = viser.ViserServer(host="127.0.0.1", port=0, label=label, verbose=False)
            finally:
                sockets.serve = serve
            if not calls:
                found.stop()
                raise MissingPackageError(
                    f"this version of viser, {shown(viser.__version__)}, starts in a way that "
                    "cannot be guarded; pip install 'paraxis[studio]' installs one that can"
                )
        return found

    def _request(self, inner, version):
        """What answers a request before anything else sees it."""
        from websockets.http11 import Headers, Response

        def answer(connection, request):
            upgrade = "websocket" in (request.headers.get("Upgrade") or "").lower()
            refusal = self.guard.refuses(request.path, request.headers, upgrade)
            if refusal is not None:
                body = refusal.reason.encode()
                headers = Headers({"Content-Type": "text/plain; charset=utf-8", **SAFE})
                headers["Content-Length"] = str(len(body))
                if refusal.cookie is not None:
                    headers["Set-Cookie"], headers["Location"] = refusal.cookie, "/"
                return Response(refusal.status, HTTPStatus(refusal.status).phrase, headers, body)
            if upgrade:
                spoken = request.headers.get_all("Sec-WebSocket-Protocol")
                if spoken != [f"viser-v{version}"]:
                    return connection.respond(400, "Reload the page: it is of another version.\n")
            found = inner(connection, request)
            if found is not None:
                for name, value in SAFE.items():
                    found.headers[name] = value
            return found

        return answer

    def _handler(self, inner, viser):
        """What a connection is given to, once it is there."""
        decoded = viser._messages.Message.deserialize

        async def handle(connection):
            self.guard.connections += 1
            try:
                await inner(_Heard(connection, Messages(decoded)))
            finally:
                self.guard.connections -= 1

        return handle


class _Heard:
    """A connection, as viser uses it, of which only messages in order are heard."""

    def __init__(self, connection, messages):
        self._connection, self._messages = connection, messages

    def __getattr__(self, name):
        return getattr(self._connection, name)

    async def recv(self):
        while True:
            raw = await self._connection.recv()
            try:
                if self._messages.takes(raw):
                    return raw
            except ValueError as error:
                await self._connection.close(1008, str(error))  # the next recv() says it is closed


def listening(host, port):
    """A socket that listens, or an error that says why there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"cannot listen on {shown(host, 100)}, port {port}: {reason}") from None


def viser_package():
    """The package viser, or an error that says how to install it."""
    try:
        import viser
    except ImportError:
        raise MissingPackageError(
            "the studio needs viser, which is not installed: pip install 'paraxis[studio]'"
        ) from None
    return viser
