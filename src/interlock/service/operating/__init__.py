"""For whoever operates a service: does it live, is it ready, what does it count."""
