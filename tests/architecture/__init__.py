"""What the house must keep, as functions over a folder of source: each returns complaints, one
sentence each.
"""
