"""Items: what is known about documents themselves, such as popularity, vectors and categories."""

from __future__ import annotations
