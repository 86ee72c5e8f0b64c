"""The words of the house. Frozen; this package imports nothing but itself."""
