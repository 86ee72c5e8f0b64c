"""Go programs in code mode: instrumented, gated and run."""
