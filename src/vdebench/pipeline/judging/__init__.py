"""The judging stage: questions to a judge, its grades, and the folder that keeps them."""
