"""Segments of queries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Gives queries a segment, which those that are there do not have."""
    op.add_column("queries", sa.Column("segment", sa.Text(), nullable=True))
