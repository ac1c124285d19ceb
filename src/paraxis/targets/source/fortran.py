"""A graph as Fortran 2008: a module with a pure subroutine for one state and one for a batch.

Arrays have the shapes they have in mathematics, M(i, j); states are the last dimension.
"""

import re
import textwrap

import numpy as np
from numpy.typing import DTypeLike

from ...graph.operations import OPS
from ..number import checked_dtype
from .text import (
    Language,
    Names,
    arrays,
    comment_lines,
    description,
    function_name,
    listed,
    with_strides,
    write,
)

KINDS = {"float64": "real64", "float32": "real32"}

# Fortran has no reserved words; these make statements hard to read, or are used here.
RESERVED = """
    allocate assign block call case close common contains continue critical cycle data deallocate
    dimension do else elseif elsewhere end enddo endif entry exit external forall format function
    go goto if implicit import inquire integer interface intrinsic logical module namelist none
    nullify open optional parameter pause pointer print private program public pure read real
    recursive result return rewind save select selectcase sequence stop subroutine target then
    type use where while write

    wp real32 real64 iso_fortran_env ieee_arithmetic ieee_rint ieee_value ieee_quiet_nan
    ieee_positive_inf max mod
    worst test_inputs test_given test_results test_expected test_batch test_alone test_states
    test_entry test_error
"""
CALLED = frozenset(name for op in OPS.values() for name in re.findall(r"(\w+)\(", op.fortran))
# Procedures of the language; compilers warn of others with these names.
INTRINSICS = """
    abs achar acos acosh adjustl adjustr aimag aint all allocated anint any asin asinh associated
    atan atan2 atanh bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn bge bgt bit_size
    ble blt btest ceiling char cmplx command_argument_count conjg cos cosh count cpu_time cshift
    date_and_time dble digits dim dot_product dprod dshiftl dshiftr eoshift epsilon erf erfc
    erfc_scaled exp exponent extends_type_of findloc floor fraction gamma get_command
    get_command_argument get_environment_variable huge hypot iachar iall iand iany ibclr ibits
    ibset ichar ieor image_index index int ior iparity is_contiguous ishft ishftc kind lbound
    lcobound leadz len len_trim lge lgt lle llt log log10 log_gamma logical maskl maskr matmul max
    maxexponent maxloc maxval merge merge_bits min minexponent minloc minval mod modulo move_alloc
    mvbits nearest new_line nint norm2 not null num_images pack parity popcnt poppar precision
    present product radix random_number random_seed range rank real repeat reshape rrspacing
    same_type_as scale scan selected_char_kind selected_int_kind selected_real_kind set_exponent
    shape shifta shiftl shiftr sign sin sinh size spacing spread sqrt storage_size sum
    system_clock tan tanh this_image tiny trailz transfer transpose trim ubound ucobound unpack
    verify
"""
WIDTH = 100
IEEE = ("ieee_rint", "ieee_value", "ieee_quiet_nan", "ieee_positive_inf")  # of ieee_arithmetic


def language_of(dtype):
    return Language(
        dtype=checked_dtype(dtype),
        operations={name: op.fortran for name, op in OPS.items()},
        let="{0} = {1}",
        put="{0} = {1}",
        place="frame({0})",
        number="{0}_wp",
        nan="ieee_value(1.0_wp, ieee_quiet_nan)",  # no constant: compilers refuse to fold those
        infinity="ieee_value(1.0_wp, ieee_positive_inf)",
        loop=(
            "{0} = {1}",
            "do {2} = {3}, {4}",
            "  {0} = {0} + ({5} - {5})",
            "end do",
        ),
        reserved=CALLED.union(RESERVED.split()),
        first=1,
        folds_case=True,
        library=frozenset(INTRINSICS.split()),
    )


def source(graph, name=None, dtype: DTypeLike = "float64", notes=()):
    """The text of a Fortran file; `notes` are paragraphs for the comment it begins with."""
    language = language_of(dtype)
    name = function_name(graph, name, language)
    every = arrays(graph, Names(language, name))
    straight = write(graph, language, every, _entry)
    one_state = _one_state(name, every, straight)
    ieee = [word for word in IEEE if any(word in line for line in one_state)]
    usage = (
        f"Subroutine {name} computes one state, {name}_batch many: states are the last dimension.",
        "Everything is pure; no memory is allocated.",
    )
    comment = [
        f"! {line}".rstrip()
        for line in comment_lines(description(graph, name, language, every, usage, notes))
    ]
    return "\n".join(
        [
            *comment,
            f"module {name}_module",
            f"  use, intrinsic :: iso_fortran_env, only: wp => {KINDS[language.dtype]}",
            *([f"  use, intrinsic :: ieee_arithmetic, only: {', '.join(ieee)}"] if ieee else []),
            "  implicit none",
            "  private",
            f"  public :: {name}, {name}_batch",
            "",
            "contains",
            "",
            *one_state,
            *_batch(name, every),
            f"end module {name}_module",
            "",
        ]
    )


def _entry(array, k):
    if isinstance(k, str):
        # Divisions without a remainder: gfortran warns of others, even of an index.
        place = [
            f"mod(({k} - mod({k}, {n})) / {n}, {length}) + 1"
            for length, n in with_strides(array.shape)
        ]
    else:
        place = [str(i + 1) for i in np.unravel_index(k, array.shape)] if array.shape else []
    return _indexed(array.name, place)


def _indexed(name, place):
    return f"{name}({', '.join(place)})" if place else name


def _one_state(name, every, straight):
    last = straight.pieces[-1]
    last.store([array for array in every if array.is_output], straight.results)
    if len(straight.pieces) == 1:
        return _subroutine("pure", name, every, [*_declared(last), *last.lines])
    texts, calls = [], []
    for k, piece in enumerate(straight.pieces):
        used = [array for array in every if array in piece.arrays]
        part, frame = f"{name}_part{k}", straight.frame if piece.uses_frame else 0
        texts += _subroutine("pure", part, used, [*_declared(piece), *piece.lines], frame)
        arguments = [array.name for array in used] + (["frame"] if frame else [])
        calls.append(f"call {part}({', '.join(arguments)})")
    frame = [f"real(wp) :: frame({straight.frame})"] if straight.frame else []
    # recursive, so that compilers keep the frame on the stack, where threads have their own
    return texts + _subroutine("pure recursive", name, every, [*frame, *calls])


def _batch(name, every):
    rows = [_indexed(a.name, [":"] * len(a.shape) + ["state"]) for a in every]
    loop = ["do state = 1, states", f"  call {name}({', '.join(rows)})", "end do"]
    return _subroutine("pure", f"{name}_batch", every, ["integer :: state", *loop], batch=True)


def _subroutine(prefix, name, used, body, frame=0, batch=False):
    """Of the arrays `used`; in a batch their last dimension is `states`."""
    states = ["states"] if batch else []
    arguments = [*states, *(array.name for array in used), *(["frame"] if frame else [])]
    shapes = [_indexed(a.name, [*map(str, a.shape), *states]) for a in used]
    intents = ["out" if array.is_output else "in" for array in used]
    lines = [
        *(["integer, intent(in) :: states"] if batch else []),
        *(f"real(wp), intent({i}) :: {s}" for i, s in zip(intents, shapes, strict=True)),
        *([f"real(wp), intent(inout) :: frame({frame})"] if frame else []),
        *body,
    ]
    return [
        continued(f"  {prefix} subroutine {name}({', '.join(arguments)})"),
        *(continued(f"    {line}") for line in lines),
        f"  end subroutine {name}",
        "",
    ]


def _declared(piece):
    """Statements that declare the values of a piece, on as many lines as it takes: a statement may
    not have more than 255 of them."""
    declared = []
    for kind, names in (("real(wp)", piece.names), ("integer", piece.indices)):
        if names:
            lines = listed("", names, "", "", width=80).replace(",\n", "\n").split("\n")
            declared += [f"{kind} :: {line}" for line in lines]
    return declared


def continued(line):
    """A statement on as many lines as it takes."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    whole_words = {"break_long_words": False, "break_on_hyphens": False}
    return " &\n".join(textwrap.wrap(line, WIDTH, subsequent_indent=indent, **whole_words))
