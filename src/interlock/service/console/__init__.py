"""The console: pages that the server writes, which work without a script; one makes them live."""
