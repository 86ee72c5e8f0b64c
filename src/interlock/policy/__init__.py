"""Policies: the built-in ones, and (with files) what people make of them."""
