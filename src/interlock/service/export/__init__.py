"""The record, told to others: at least once, each event under the same name."""
