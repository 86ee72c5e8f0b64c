"""The proxy before an MCP server: what a client calls there is judged first, everything else passes
as it is.
"""
