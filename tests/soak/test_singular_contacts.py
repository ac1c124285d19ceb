"""Random contacts on robots that often cannot keep them: refused, singular or right."""

from collections import Counter

from support.counting import at_most, case, report, scaled
from support.singular_contacts import checked, random_case


def test_contacts_are_refused_singular_or_right(record_property):
    found = Counter()
    for k in range(scaled(100)):
        with case("singular contacts", k) as rng, at_most(600):
            found[checked(*random_case(rng))] += 1
    assert min(found[kind] for kind in ("refused", "singular", "regular")) > 0.05 * found.total()
    report(record_property, found.total(), "contacts that are refused, singular or right")
