"""What is handed to an auditor, who believes nobody here."""
