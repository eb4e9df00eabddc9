"""How the pages write dates and times."""
