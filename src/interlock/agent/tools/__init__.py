"""The tools of ``interlock agent``, a module a kind. None of them judges anything: the loop did."""
