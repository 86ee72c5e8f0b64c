"""Programs as data, one module per family; ``table`` finds them."""
