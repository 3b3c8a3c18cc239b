"""How tasks are spread over processors."""
