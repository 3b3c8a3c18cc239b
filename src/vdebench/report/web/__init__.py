"""Scripts, styles and HTML that the report, the leaderboard, the page of one edit and the pages for people share."""
