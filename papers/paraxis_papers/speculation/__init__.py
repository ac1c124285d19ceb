"""The report `speculation`: what Hamilton, Walker and Bennett claim of stale data, tested."""
