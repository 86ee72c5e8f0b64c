"""The guard that stays: a process that answers hooks over a Unix socket, so that a call does not
start Python anew.
"""
