"""A client of a service that decides: ``Client``, and ``AsyncClient`` for programs with a loop.

It needs nothing but Python. What goes wrong is never an allow: it raises ``NoDecisionError``, or is
an ask or a deny where that is wanted (``on_error``).
"""

from interlock.client.asynchronous import AsyncClient
from interlock.client.connection import NoDecisionError
from interlock.client.decision import RemoteDecision, RemoteDuty
from interlock.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "NoDecisionError", "RemoteDecision", "RemoteDuty"]
