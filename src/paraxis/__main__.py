"""`python -m paraxis`."""

from .cli.main import main

raise SystemExit(main())
