"""Alembic's way in: migrates over the connection that `database.py` hands it."""

from __future__ import annotations


def migrate() -> None:
    """Run what is to be run, within the transaction that is open."""
    from alembic import context

    context.configure(connection=context.config.attributes["connection"])
    with context.begin_transaction():
        context.run_migrations()


if __name__ == "env_py":  # the name that Alembic gives it; whoever else imports it wants no migration
    migrate()
