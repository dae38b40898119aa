"""`python -m idealist` is `idealist`."""

from __future__ import annotations

import sys

from idealist.cli import main

sys.exit(main())
