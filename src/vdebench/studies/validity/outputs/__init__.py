"""Realistic outputs of editors, harmless and faulty, with what a careful person says of each."""
