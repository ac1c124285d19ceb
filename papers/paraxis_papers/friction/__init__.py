"""The report `friction`: Chapter 3 of Dhanaraj's thesis beside what is found here."""
