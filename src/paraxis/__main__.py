"""`python -m paraxis`."""

from .cli import main

raise SystemExit(main())
