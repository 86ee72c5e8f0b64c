"""Rules of other guards and clients, read as a proposal for a policy of interlock's."""
