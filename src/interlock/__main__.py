"""``python -m interlock``."""

from interlock.cli.entry import main

raise SystemExit(main())
