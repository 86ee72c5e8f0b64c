"""Limits: what a session, an agent, a user or a tenant may use up, counted in the store by all
processes together.
"""
