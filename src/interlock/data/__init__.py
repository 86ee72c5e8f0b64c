"""What is known of the world as data: one format, one row a thing, with the manual it is from."""
