"""The one process of an enrolled machine that talks to the service: it sends the record."""
