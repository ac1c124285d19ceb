"""Operations counted as the papers count them, beside what they print."""
