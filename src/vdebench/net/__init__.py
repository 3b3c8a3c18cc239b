"""Talking to servers: HTTP client, API keys, prices, budgets, rate limits."""
