"""How the database of a review came to its present form, step by step (Alembic)."""
