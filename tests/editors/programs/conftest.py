"""These are programs and stand-ins of packages for other processes: none may be imported here."""

collect_ignore_glob = ["*"]
