"""Tables of a page: where they are, their structure, and the text of their cells."""
