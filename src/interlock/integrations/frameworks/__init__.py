"""Adapters for agent frameworks. Each is a module with one function, ``guarded``, that needs its
framework only when it is imported.
"""
