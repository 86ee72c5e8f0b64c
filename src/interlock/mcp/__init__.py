"""The proxy before an MCP server: calls are judged first, all else passes as it is."""
