package main

// ptr returns a pointer to a value, for optional fields.
func ptr[T any](v T) *T { return &v }
