"""The judging stage: questions, grades, and the folder of a judged run."""
