"""The record of past days in files of Parquet: searched from here, and read by other programs."""
