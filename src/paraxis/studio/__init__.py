"""`paraxis studio`: robots looked at and tried out from a browser, computed in Python here."""
