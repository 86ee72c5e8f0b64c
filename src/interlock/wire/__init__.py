"""What a machine and the service say to each other: batches, receipts, tokens. Pure."""
