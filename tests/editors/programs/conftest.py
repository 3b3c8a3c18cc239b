"""Programs and stubs of packages for other processes; not imported here."""

collect_ignore_glob = ["*"]
