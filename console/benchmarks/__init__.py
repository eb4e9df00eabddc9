"""What `evaluate` and `bench` need beside the library: folders, progress, clean homes."""
