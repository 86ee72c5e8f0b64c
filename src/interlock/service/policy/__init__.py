"""One policy for all machines: tried, signed, published in stages."""
