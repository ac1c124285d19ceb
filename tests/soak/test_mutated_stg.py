"""Mutated files of the Standard Task Graph format: tasks that can be written again, or an error."""

from support.counting import case, report, scaled

import paraxis as px

FILES = scaled(20_000)
WORDS = ("0", "1", "-1", "2", "7", "99999999999999999999", "1.5", "x", "#", "", "\n", "\x00", "é")


def valid(rng):
    weights = {k: rng.randint(0, 9) for k in range(rng.randint(0, 6))}
    edges = [(a, b) for b in weights for a in range(b) if rng.random() < 0.4]
    return px.TaskGraph(weights, edges).to_stg()


def mutated(rng, text):
    words = text.split(" ")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(words))
        kind = rng.randrange(4)
        if kind == 0:
            words[at] = rng.choice(WORDS)
        elif kind == 1:
            words.insert(at, rng.choice(WORDS))
        elif kind == 2 and len(words) > 1:
            del words[at]
        else:
            words = words[:at] or [""]
    return " ".join(words)


def test_files(tmp_path, record_property):
    path, read = tmp_path / "mutated.stg", 0
    for k in range(FILES):
        with case("mutated STG", k) as rng:
            path.write_text(mutated(rng, valid(rng)), encoding="utf-8")
            try:
                tasks = px.TaskGraph.from_stg(path)
            except px.TaskError:
                continue
            read += 1
            path.write_text(tasks.to_stg())
            again = px.TaskGraph.from_stg(path)
            assert (again.weights, again.span) == (
                tuple(tasks.weights[task] for task in tasks.order),
                tasks.span,
            )
    assert 0 < read < FILES
    report(record_property, FILES, "mutated STG files")
