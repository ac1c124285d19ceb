"""Run by every kernel that runs a page: what pages show depends on no machine and no cache."""

import logging
import warnings

logging.getLogger("paraxis").setLevel("ERROR")  # no notices of compilations
warnings.formatwarning = lambda message, kind, *_: f"{kind.__name__}: {message}\n"
