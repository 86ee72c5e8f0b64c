"""Batches taken in: where they belong, whether they are as they were written, what is wrong."""
