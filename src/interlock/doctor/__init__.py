"""Proof that a guard guards: its hooks run as the client runs them, the switches that disarm them,
the client itself against a made-up model.
"""
