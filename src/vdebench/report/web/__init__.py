"""Scripts, styles and HTML that the report, the leaderboard, the ranking sheet and the review page share."""
