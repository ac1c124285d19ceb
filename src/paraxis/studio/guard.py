"""Who may talk to the server, and how much: what is refused before it reaches the studio.

A page of any site can send a browser to 127.0.0.1. So a request must be for a name of this machine
(or a site could give its own name our address, as DNS rebinding does) and come from a page of this
very server, which the browser states in `Origin`. Beyond this machine nobody comes in without the
token, which the address that is printed brings and a cookie keeps.
"""

import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from ..checks import shown

MOST_CONNECTIONS = 100
MOST_MESSAGE = 2 * 2**20  # bytes; files come in pieces of half of one
MOST_UPLOAD = 4 * 2**20  # bytes of a file
MOST_UPLOADS = 4  # of one connection, at the same time
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Refusal:
    """A status of HTTP and the reason; with `cookie`, the way in for one who brought the token."""

    status: int
    reason: str
    cookie: str | None = None


@dataclass
class Guard:
    """`token` is None where only this machine can connect."""

    token: str | None = None
    connections: int = 0
    cookie: str = field(default_factory=lambda: f"paraxis-{secrets.token_hex(4)}")

    @classmethod
    def of(cls, host):
        """For a server at that address: with a token unless only this machine reaches it."""
        return cls(None if is_local(host) else secrets.token_urlsafe(24))

    def refuses(self, path, headers, socket=False):
        """Why a request is refused, or None. `headers` has `get_all(name)`."""
        try:
            return self._refuses(path, headers, socket)
        except ValueError:  # an address that cannot be taken apart
            return Refusal(400, "The request is not valid.")

    def _refuses(self, path, headers, socket):
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or len(origins) > 1:
            return Refusal(400, "The request is not valid.")
        if self.token is None and urlsplit(f"//{hosts[0]}").hostname not in LOCAL_NAMES:
            return Refusal(403, f"This server is not {shown(hosts[0], 100)}.")
        # a browser states it with every connection; only other programs leave it out
        own = {f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")}
        if (origins or socket) and not {each.lower() for each in origins} & own:
            return Refusal(403, "Only pages of this server may connect to it.")
        if self.token is not None and not self._knows(headers):
            given = parse_qs(urlsplit(path).query, max_num_fields=10).get("token", [""])[0]
            if socket or not self._is_token(given):
                return Refusal(401, "The address that `paraxis studio` printed has a token.")
            cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            return Refusal(303, "", cookie)  # to the same page, without the token in its address
        if socket and self.connections >= MOST_CONNECTIONS:
            return Refusal(503, f"There are {MOST_CONNECTIONS} connections already.")
        return None

    def _knows(self, headers):
        """Whether the cookie has the token."""
        for each in headers.get_all("Cookie"):
            try:
                found = SimpleCookie(each).get(self.cookie)
            except CookieError:
                continue
            if found is not None and self._is_token(found.value):
                return True
        return False

    def _is_token(self, given):
        return hmac.compare_digest(given.encode(), self.token.encode())


def is_local(host):
    """Whether an address can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Messages:
    """The messages of one connection: those that are malformed end it, others may be ignored.

    `decoded` makes a message of bytes, or raises an error. Its type must be one that the studio
    has a use for: viser knows others, one of which would open a tunnel to the world.
    """

    KNOWN = (
        "ViewerCameraMessage",
        "GuiUpdateMessage",
        "FileTransferStartUpload",
        "FileTransferPart",
    )

    def __init__(self, decoded):
        self.decoded, self.uploads = decoded, {}  # bytes that are still to come of each

    def takes(self, raw):
        """Whether a message is passed on; ValueError with the reason if the connection must end."""
        if not isinstance(raw, bytes):
            raise ValueError("messages are bytes")
        try:
            message = self.decoded(raw)
        except Exception:  # of any kind: whatever a decoder raises about bytes that are not its own
            raise ValueError("a message is malformed") from None
        kind = type(message).__name__
        if kind == "FileTransferStartUpload":
            return self._begins(message)
        if kind == "FileTransferPart":
            return self._continues(message)
        return kind in self.KNOWN

    def _begins(self, message):
        if not all(isinstance(x, int) for x in (message.size_bytes, message.part_count)):
            raise ValueError("a message is malformed")
        if not 0 <= message.size_bytes <= MOST_UPLOAD:
            raise ValueError(f"files may have {MOST_UPLOAD // 2**20} MiB")
        if len(self.uploads) >= MOST_UPLOADS:
            raise ValueError(f"at most {MOST_UPLOADS} files at a time")
        self.uploads[message.transfer_uuid] = message.size_bytes
        return True

    def _continues(self, message):
        left = self.uploads.get(message.transfer_uuid)
        if left is None:
            return False
        if not isinstance(message.content, bytes) or len(message.content) > left:
            raise ValueError("a file is larger than it was said to be")
        if not message.content:
            return False  # parts without bytes could be sent without end
        self.uploads[message.transfer_uuid] = left - len(message.content)
        if left == len(message.content):
            del self.uploads[message.transfer_uuid]
        return True
