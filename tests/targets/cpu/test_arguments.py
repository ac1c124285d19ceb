"""Arguments of kernels: those that are refused, those that are converted, and NaN."""

import itertools
import math

import numpy as np
import pytest
from support.bits import same_bits
from support.kernels import both_ways, kernel, one_by_one, program, robot, states
from support.layouts import filled

import paraxis as px

pytestmark = pytest.mark.usefixtures("own_cache")


# -- arguments ---------------------------------------------------------------------------------


class OnAnotherDevice:
    """What a GPU array looks like from outside."""

    dtype, shape = np.dtype(float), (6,)

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **options):
        raise AssertionError("memory of another device must not be touched")


BAD = {
    "too few entries": np.zeros(5),
    "too many entries": np.zeros((3, 7)),
    "a number": 1.0,
    "nothing": None,
    "an empty list": [],
    "a ragged list": [[1.0] * 6, [1.0] * 5],
    "a word": "123456",
    "words": ["1"] * 6,
    "complex": np.zeros(6, complex),
    "objects": np.zeros(6, object),
    "longdouble": np.zeros(6, np.longdouble),
    "bool": np.zeros(6, bool),  # a truth value is not an angle
    "dates": np.zeros(6, "datetime64[s]"),
    "records": np.zeros(6, [("a", float)]),
    "a set": {1.0, 2.0},
    "integers past 64 bits": [2**70] * 6,
    "GPU": OnAnotherDevice(),
}


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="longdouble is double here")
@pytest.mark.parametrize("batch", ((), (3,)))
@pytest.mark.parametrize("name", BAD)
def test_a_bad_argument_is_named(name, batch):
    good = np.zeros((*batch, 6))
    for k in (kernel("ur5"), kernel("ur5", "float32")):
        for place, argument in enumerate(("q", "qd", "qdd")):
            arrays = [good, good, good]
            arrays[place] = BAD[name]
            for call in both_ways(k).values():
                with pytest.raises(px.ArgumentError, match=rf"^{argument}: expected"):
                    call(*arrays)
                with pytest.raises(px.ArgumentError, match=rf"^{argument}: expected"):
                    call(*arrays, out=np.zeros((*batch, 6), k.dtype))
    with pytest.raises(px.ArgumentError, match=r"^qd: expected"):
        px.inverse_dynamics(robot("ur5"), good, BAD[name], good)


def test_wrong_numbers_of_arguments_are_named():
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 3)
    for call in both_ways(k).values():
        with pytest.raises(px.ArgumentError, match=r"missing qdd; it takes \(q\["):
            call(q, qd)
        with pytest.raises(px.ArgumentError, match=r"missing q, qd, qdd; it takes"):
            call()
        with pytest.raises(px.ArgumentError, match=r"expected 3 arrays \(q, qd, qdd\), found 4"):
            call(q, qd, qdd, q)
        with pytest.raises(px.ArgumentError, match="'speed'"):
            call(q, qd, speed=qdd)
        with pytest.raises(px.ArgumentError, match="'speed'"):
            call(q, qd, qdd, speed=qdd)
        with pytest.raises(px.ArgumentError, match="qd was given twice"):
            call(q, qd, qdd=qdd, qd=qd)
        with pytest.raises(px.ArgumentError, match=r"q \(3,\), qd \(2,\), qdd \(3,\)"):
            call(q, qd[:2], qdd)
        with pytest.raises(px.ArgumentError, match="broadcast"):
            call(q[:0], qd, qdd)
        with pytest.raises(px.ArgumentError, match="broadcast"):
            call(q[:, None], qd[None, :2], qdd)
        assert same_bits(call(qdd=qdd, qd=qd, q=q), k(q, qd, qdd))
        assert same_bits(call(q, qdd=qdd, qd=qd), k(q, qd, qdd))
        named_out = {"".join(("o", "ut")): np.empty((3, 6))}  # a word Python has not interned
        assert same_bits(call(q, qd, qdd, **named_out), k(q, qd, qdd))


def test_arrays_of_other_kinds_are_converted():
    k, single = kernel("ur5"), kernel("ur5", "float32")
    _, qd, qdd = states("ur5", 13)
    values = np.random.default_rng(19).integers(-3, 4, size=(13, 6))
    expected = k(values.astype(float), qd, qdd)
    swapped = np.dtype(float).newbyteorder()
    unsigned = k(abs(values).astype(float), qd, qdd)
    for call in both_ways(k).values():
        for dtype in ("i1", "i2", "i4", "i8", "f2", "f4", "f8", swapped):
            assert same_bits(call(values.astype(dtype), qd, qdd), expected), dtype
            assert same_bits(call(values[4].astype(dtype), qd[4], qdd[4]), expected[4]), dtype
        for dtype in ("u1", "u2", "u4", "u8"):
            assert same_bits(call(abs(values).astype(dtype), qd, qdd), unsigned), dtype
        assert same_bits(call(values.tolist(), qd.tolist(), tuple(map(tuple, qdd))), expected)
        assert same_bits(call(list(values), qd, qdd), expected)
    rounded = single(values.astype("f4"), qd.astype("f4"), qdd.astype("f4"))
    assert same_bits(single(values, qd, qdd), rounded)
    assert same_bits(single(values, qd.astype("f4"), qdd), rounded)


def test_the_function_form_chooses_the_dtype():
    arrays = states("ur5", 13, dtype="float32")
    assert same_bits(px.inverse_dynamics(robot("ur5"), *arrays), kernel("ur5", "float32")(*arrays))
    mixed = [arrays[0], *(a.astype(float) for a in arrays[1:])]
    expected = kernel("ur5")(*(a.astype(float) for a in arrays))
    assert same_bits(px.inverse_dynamics(robot("ur5"), *mixed), expected)
    assert same_bits(px.inverse_dynamics(robot("ur5"), *(a.tolist() for a in arrays)), expected)
    target = np.empty((13, 6))
    assert px.inverse_dynamics(robot("ur5"), *mixed, out=target) is target
    assert same_bits(target, expected)


class Subclass(np.ndarray):
    pass


def unaligned(a):
    """The same numbers one byte off."""
    field = np.zeros(a.nbytes + 1, np.uint8)[1:]
    field[:] = np.ascontiguousarray(a).view(np.uint8).reshape(-1)
    return field.view(a.dtype).reshape(a.shape)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_uncommon_arrays_give_the_right_numbers():
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 40)
    frozen = q.copy()
    frozen.flags.writeable = False
    swapped = np.dtype(float).newbyteorder()
    uncommon = {
        "subclass": q.view(Subclass),
        "matrix": np.asmatrix(q),
        "nothing masked": np.ma.masked_array(q),
        "read-only": frozen,
        "unaligned": unaligned(q),
        "other byte order": q.astype(swapped),
        "other byte order, unaligned": unaligned(q.astype(swapped)),
        "memory of bytes": np.frombuffer(q.tobytes()).reshape(40, 6),
        "a field of a record": filled(np.zeros(40, [("pad", "i4"), ("q", float, 6)])["q"], q),
        "memoryview": memoryview(q),
        "a copy of the dtype": q.astype(np.dtype("f8", copy=True)),
    }
    assert not uncommon["unaligned"].flags.aligned
    assert not uncommon["a field of a record"].flags.aligned
    for name, odd in uncommon.items():
        for call in both_ways(k).values():
            found = call(odd, qd, qdd)
            assert type(found) is np.ndarray and same_bits(found, k(q, qd, qdd)), name


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(
    "change", (unaligned, np.asmatrix, np.ma.masked_array, lambda a: a.view(Subclass))
)
def test_uncommon_arrays_take_the_result(change):
    arrays = states("ur5", 40)
    for call in both_ways(kernel("ur5")).values():
        out = change(np.zeros((40, 6)))
        assert call(*arrays, out=out) is out
        assert same_bits(np.array(out), kernel("ur5")(*arrays))


def test_masked_states_are_not_read_as_numbers():
    """What stands under a mask is nobody's number: an error, or no number in that state."""
    q, qd, qdd = states("ur5", 5)
    masked = np.ma.masked_array(q, mask=np.zeros((5, 6), bool))
    masked[2, 3] = np.ma.masked
    for call in both_ways(kernel("ur5")).values():
        with pytest.raises(px.ArgumentError, match=r"^q: "):
            call(masked, qd, qdd)


# -- NaN ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ("ur5", "stanford", "tree"))
def test_a_bad_number_spoils_its_own_state_and_no_other(name):
    """In every entry, also those no torque depends on (q of ur5's first joint), in every lane."""
    k, n = kernel(name), robot(name).n
    size = 2 * k.lanes + 3
    arrays = states(name, size, seed=20)
    clean = k(*arrays)
    spots = itertools.product(range(3), range(n), (math.nan, math.inf, -math.inf), range(size))
    for which, entry, bad, place in spots:
        spoiled = [a.copy() for a in arrays]
        spoiled[which][place, entry] = bad
        found = k(*spoiled)
        where = (("q", "qd", "qdd")[which], entry, bad, place)
        assert not np.isfinite(found[place]).all(), where
        if math.isnan(bad):
            assert np.isnan(found[place]).any(), where
        assert (
            same_bits(k(*(a[place] for a in spoiled)), found[place]) or np.isnan(found[place]).any()
        )
        found[place] = clean[place]
        assert same_bits(found, clean), where


@pytest.mark.parametrize("name", ("ur5", "stanford", "tree"))
def test_nan_goes_where_the_interpreter_says(name):
    """One state for each bad entry, all in one batch; and each alone."""
    k, n = kernel(name), robot(name).n
    q, qd, qdd = states(name, 3 * n, seed=21)
    for which, entry in itertools.product(range(3), range(n)):
        (q, qd, qdd)[which][which * n + entry, entry] = math.nan
    expected = np.isnan(program(name).evaluate(q=q, qd=qd, qdd=qdd))
    assert expected.any(axis=1).all()
    assert (np.isnan(k(q, qd, qdd)) == expected).all()
    assert (np.isnan(one_by_one(k, (q, qd, qdd))) == expected).all()


def test_an_entry_that_nothing_depends_on_still_spoils_everything():
    assert ("q", range(1)) in program("ur5").graph.unused
    q, qd, qdd = states("ur5", 11)
    for bad in (math.nan, math.inf):
        q[4, 0] = bad
        assert np.isnan(kernel("ur5")(q, qd, qdd)).any(axis=1).tolist() == [
            i == 4 for i in range(11)
        ]
        assert np.isnan(kernel("ur5")(q[4], qd[4], qdd[4])).all()
    ignoring = px.trace(lambda x, y: {"a": x[0], "b": [2.0 * x[0], 1.0]}, x=2, y=())
    a, b = ignoring.compile()(
        np.array([[1.0, 2.0], [1.0, math.nan], [1.0, 3.0]]), [0.0, 0.0, math.inf]
    )
    assert np.isnan(a).tolist() == [False, True, True]
    assert np.isnan(b).tolist() == [[False] * 2, [True] * 2, [True] * 2]


def test_huge_numbers_in_an_entry_that_nothing_depends_on_change_nothing():
    q, qd, qdd = states("ur5", 11)
    expected = kernel("ur5")(q, qd, qdd)
    q[:, 0] = 1.7e308
    assert same_bits(kernel("ur5")(q, qd, qdd), expected)


# -- memory, references, threads ---------------------------------------------------------------


def test_a_bad_option_is_named():
    with pytest.raises(px.ArgumentError, match="dtype"):
        program("ur5").compile(dtype="int32")
    with pytest.raises(px.ArgumentError, match="dtype"):
        program("ur5").compile(dtype="float99")
    with pytest.raises(px.ArgumentError, match="threads"):
        program("ur5").compile(threads=0)
    with pytest.raises(px.ArgumentError, match="threads"):
        program("ur5").compile(threads="two")
    with pytest.raises(px.ArgumentError, match="target"):
        program("ur5").compile(target="abacus")


def test_a_constant_beyond_float32_is_refused():
    """Better no kernel than one that computes with infinity."""
    program = px.trace(lambda x: x * 1e300, x=())
    with pytest.raises(px.ArgumentError, match="1e\\+300"):
        program.compile(dtype="float32")
    assert program.compile()(np.float64(2.0)) == 2e300
