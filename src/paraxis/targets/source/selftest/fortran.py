"""The self-test of Fortran.

Data are flat components of a type, in the order of memory; the subroutines see them in their
shapes.
"""

from ..fortran import KINDS, continued, language_of
from ..text import Names, arrays, function_name

MOST_NUMBERS = 500  # in a statement, which may not have more than 255 lines

ERROR = """\
  ! The largest difference, each as a share of what is large for its entry.
  pure function test_error(entries, found, expected, sizes) result(largest)
    integer, intent(in) :: entries
    real(wp), intent(in) :: found(entries, test_states), expected(entries, test_states)
    real(wp), intent(in) :: sizes(entries)
    real(wp) :: largest, difference(entries)
    integer :: j
    largest = 0
    do j = 1, test_states
      difference = abs(found(:, j) - expected(:, j))
      if (.not. all(difference <= huge(largest))) then
        largest = huge(largest)
      else
        largest = max(largest, maxval(min(difference / sizes, huge(largest))))
      end if
    end do
  end function test_error
"""


def self_test(graph, vectors, name=None, dtype="float64"):
    """A program that compares both subroutines with `vectors`; it stops with 1 if they differ."""
    language = language_of(dtype)
    name = function_name(graph, name, language)
    every = arrays(graph, Names(language, name))
    inputs, outputs = every[: len(graph.inputs)], every[len(graph.inputs) :]

    def components(some, states=" * test_states"):
        return [f"    real(wp) :: {a.name}({a.entries}{states})" for a in some]

    def filled(holder, some, values):
        for array, each in zip(some, values, strict=True):
            numbers = [language.literal(v) for state in each for v in state.ravel(order="F")]
            for first in range(0, len(numbers), MOST_NUMBERS):
                part = numbers[first : first + MOST_NUMBERS]
                place = f"{holder}%{array.name}(test_entry)"
                span = f"test_entry = {first + 1}, {first + len(part)}"
                yield f"  data ({place}, {span}) / {', '.join(part)} /"

    def members(results):
        return [f"{results if a.is_output else 'test_given'}%{a.name}" for a in every]

    rows = [
        f"{member}({a.entries} * (state - 1) + 1)"
        for member, a in zip(members("test_alone"), every, strict=True)
    ]
    comparisons = [
        f"  worst = max(worst, test_error({a.entries}, {results}%{a.name}, test_expected%{a.name}, "
        f"test_large%{a.name}))"
        for results in ("test_batch", "test_alone")
        for a in outputs
    ]
    given = ["  type :: test_inputs", *components(inputs), "  end type"]
    text = [
        f"! Compares {name} with results of the interpreter of Paraxis.",
        "! Prints the error and stops with 0 when it is small, else with 1.",
        f"program {name}_test",
        f"  use, intrinsic :: iso_fortran_env, only: wp => {KINDS[language.dtype]}",
        f"  use {name}_module, only: {name}, {name}_batch",
        "  implicit none",
        f"  integer, parameter :: test_states = {vectors.states}",
        *(given if inputs else []),
        "  type :: test_results",
        *components(outputs),
        "  end type",
        *(["  type(test_inputs) :: test_given"] if inputs else []),
        "  type :: test_sizes",
        *components(outputs, ""),
        "  end type",
        "  type(test_results) :: test_expected, test_batch, test_alone",
        "  type(test_sizes) :: test_large",
        "  real(wp) :: worst",
        "  integer :: state, test_entry",
        "",
        *filled("test_given", inputs, vectors.inputs),
        *filled("test_expected", outputs, vectors.outputs),
        *filled("test_large", outputs, [size[None] for size in vectors.sizes]),
        "",
        f"  call {name}_batch({', '.join(['test_states', *members('test_batch')])})",
        "  do state = 1, test_states",
        f"    call {name}({', '.join(rows)})",
        "  end do",
        "  worst = 0",
        *comparisons,
        f"  print '(a, es8.1, a, i0, a)', '{name}: error', worst, ' over ', test_states, &\n"
        f"    ' states, at most {vectors.tolerance:.0e} wanted'",
        f"  if (worst > {vectors.tolerance!r}_wp) stop 1",
        "",
        "contains",
        "",
        ERROR,
        f"end program {name}_test",
        "",
    ]
    return "\n".join(line if "\n" in line else continued(line) for line in text)
