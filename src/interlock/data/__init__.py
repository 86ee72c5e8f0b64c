"""What is known of the world as data: one readable format, one row a thing, with the manual it
comes from.
"""
