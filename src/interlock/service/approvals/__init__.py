"""The inbox: requests of machines, people's votes, and the one chain that gets the yes."""
