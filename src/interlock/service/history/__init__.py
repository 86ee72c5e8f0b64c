"""What was decided, here and on machines that send their record: found again, in order, in full."""
