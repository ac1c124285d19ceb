"""Sine and cosine of a vector of angles, together.

The angle is brought to [-pi/4, pi/4] by subtracting a multiple of pi/2 written as three numbers
(Cody and Waite), the first subtraction being exact under fma; where there is none, as numbers of
so few bits that products are exact. Then one polynomial each, and the quadrant swaps and signs
them. Within 2 ulp for |x| <= LARGE; lanes beyond that, and lanes that are not finite, are done one
by one by the C library, whose reduction is right for any argument.
Each lane's result depends on that lane alone, so its bits do not depend on its neighbours.
"""

import math

from ...sine_series import (
    COSINE,
    LARGE,
    MAGIC,
    SINE,
    parts_of_half_pi,
    short_parts_of_half_pi,
)
from .lanes import Lanes


def define_sincos(module, lanes):
    """Add `{V, V} @sincos(V)` for these lanes, and the slow path it falls back to."""
    this = f"sincos_{lanes.suffix}"
    if module.has(this):
        return this
    v, i, element = lanes.type, lanes.integer, lanes.element
    c, ci, bits = lanes.constant, lanes.constant_int, 8 * lanes.size
    magic = MAGIC[element]
    lines = []

    def let(name, text):
        lines.append(f"  %{name} = {text}")
        return f"%{name}"

    def fma(name, x, y, z):
        if lanes.fused:
            return let(name, lanes.intrinsic("fma", x, y, z))
        product = let(f"{name}.product", f"fmul {v} {x}, {y}")
        return let(name, f"fadd {v} {product}, {z}")

    scaled = fma("scaled", "%x", c(2 / math.pi), c(magic))
    quadrant = let("quadrant", f"bitcast {v} {scaled} to {i}")
    turns = let("turns", f"fsub {v} {scaled}, {c(magic)}")
    back = let("back", f"fneg {v} {turns}")
    r = "%x"
    parts = parts_of_half_pi(element) if lanes.fused else short_parts_of_half_pi(element)
    for k, part in enumerate(parts):
        r = fma(f"r{k}", back, c(part), r)
    z = let("z", f"fmul {v} {r}, {r}")

    def polynomial(name, coefficients):
        value = c(coefficients[-1])
        for k, coefficient in enumerate(reversed(coefficients[:-1])):
            value = fma(f"{name}{k}", value, z, c(coefficient))
        return value

    ps, pc = polynomial("ps", SINE[element]), polynomial("pc", COSINE[element])
    cube = let("cube", f"fmul {v} {r}, {z}")
    sine = fma("sine", cube, ps, r)
    cosine = fma("cosine", fma("half", pc, z, c(-0.5)), z, c(1.0))
    odd = let("odd", f"and {i} {quadrant}, {ci(1)}")
    swap = let("swap", f"icmp ne {i} {odd}, {ci(0)}")
    s = let("s", f"select {lanes.condition} {swap}, {v} {cosine}, {v} {sine}")
    k = let("k", f"select {lanes.condition} {swap}, {v} {sine}, {v} {cosine}")
    next_ = let("next", f"add {i} {quadrant}, {ci(1)}")
    for name, value, turn in (("s", s, quadrant), ("k", k, next_)):
        let(f"{name}shift", f"shl {i} {turn}, {ci(bits - 2)}")
        let(f"{name}sign", f"and {i} %{name}shift, {ci(-(1 << (bits - 1)))}")
        let(f"{name}bits", f"bitcast {v} {value} to {i}")
        let(f"{name}flip", f"xor {i} %{name}bits, %{name}sign")
        let(f"{name}out", f"bitcast {i} %{name}flip to {v}")
    let("size", lanes.intrinsic("fabs", "%x"))
    let("small", f"fcmp olt {v} %size, {c(LARGE[element])}")
    fast = "\n".join(lines)
    if lanes.count == 1:
        every, slow = "%small", _slow_scalar(lanes)
    else:
        word = f"i{lanes.count}"
        every = "%every"
        fast += f"\n  %mask = bitcast {lanes.condition} %small to {word}"
        fast += f"\n  %every = icmp eq {word} %mask, -1"
        slow = _slow_lanes(lanes)
    pair = f"{{ {v}, {v} }}"
    for function in ("fma", "fabs") if lanes.fused else ("fabs",):
        module.declare(lanes.declaration(function))
        module.declare(lanes.single.declaration(function))
    for function in ("sin", "cos"):
        module.declare(f"declare {element} @{_libm(function, element)}({element})")
    module.define(
        this,
        f"""
define internal {pair} @{this}({v} %x) noinline nounwind {{
{fast}
  %fast0 = insertvalue {pair} poison, {v} %sout, 0
  %fast = insertvalue {pair} %fast0, {v} %kout, 1
  br i1 {every}, label %done, label %large
done:
  ret {pair} %fast
large:
  %slow = call {pair} @{this}_large({v} %x, {pair} %fast)
  ret {pair} %slow
}}
""",
    )
    module.define(f"{this}_large", slow)
    return this


def _libm(name, element):
    return name if element == "double" else name + "f"


def _slow_scalar(lanes):
    e = lanes.element
    pair = f"{{ {e}, {e} }}"
    return f"""
define internal {pair} @sincos_{lanes.suffix}_large({e} %x, {pair} %fast) noinline nounwind cold {{
  %s = call {e} @{_libm("sin", e)}({e} %x)
  %c = call {e} @{_libm("cos", e)}({e} %x)
  %p = insertvalue {pair} poison, {e} %s, 0
  %q = insertvalue {pair} %p, {e} %c, 1
  ret {pair} %q
}}
"""


def _slow_lanes(lanes):
    """Replace the lanes that are large, one by one."""
    v, e, n = lanes.type, lanes.element, lanes.count
    pair = f"{{ {v}, {v} }}"
    return f"""
define internal {pair} @sincos_{lanes.suffix}_large({v} %x, {pair} %fast) noinline nounwind cold {{
entry:
  %fs = extractvalue {pair} %fast, 0
  %fc = extractvalue {pair} %fast, 1
  br label %lane
lane:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %s = phi {v} [ %fs, %entry ], [ %s2, %next ]
  %c = phi {v} [ %fc, %entry ], [ %c2, %next ]
  %a = extractelement {v} %x, i32 %i
  %size = call {e} @llvm.fabs.{Lanes(e, 1).suffix}({e} %a)
  %small = fcmp olt {e} %size, {Lanes(e, 1).constant(LARGE[e])}
  br i1 %small, label %next, label %large
large:
  %sa = call {e} @{_libm("sin", e)}({e} %a)
  %ca = call {e} @{_libm("cos", e)}({e} %a)
  %s1 = insertelement {v} %s, {e} %sa, i32 %i
  %c1 = insertelement {v} %c, {e} %ca, i32 %i
  br label %next
next:
  %s2 = phi {v} [ %s, %lane ], [ %s1, %large ]
  %c2 = phi {v} [ %c, %lane ], [ %c1, %large ]
  %j = add i32 %i, 1
  %end = icmp eq i32 %j, {n}
  br i1 %end, label %done, label %lane
done:
  %p = insertvalue {pair} poison, {v} %s2, 0
  %q = insertvalue {pair} %p, {v} %c2, 1
  ret {pair} %q
}}
"""
