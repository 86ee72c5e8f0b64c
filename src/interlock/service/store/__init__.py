"""What the service keeps: one protocol of named operations, and the databases that do them."""
