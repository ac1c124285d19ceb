"""Small linear algebra over generic scalars."""
