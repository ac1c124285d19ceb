"""What a page asks for, told from the attributes of its elements."""


def addresses(attributes):
    """The addresses that it asks for or leads to, but for what is in the page itself."""
    found = [value for name, value in attributes if name in ("src", "href")]
    return [value for value in found if not value.startswith("data:")]
