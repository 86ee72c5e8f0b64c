"""One module a family of languages: how it is written, and what its library does."""
