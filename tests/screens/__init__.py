"""Every screen of the full screen client, set up without a server, for snapshots and for the pictures in README.md."""
