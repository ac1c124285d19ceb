"""Straight-line programs as a paper prints them: one statement a line, NAME=expression.

S2, C2, Q2, V2 and A2 are the sine, cosine, place, rate and acceleration of joint 2; T2 is its
torque or force. The order of the statements does not matter.
"""

import ast
import operator

import paraxis as px
from paraxis.math import cos, sin

from .plain_count import Work

DONE = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def parse(lines):
    """name -> expression."""
    pairs = (line.split("=") for line in lines)
    return {name: ast.parse(text, mode="eval").body for name, text in pairs}


def work(statements):
    """Every operation as it is written; signs are free."""
    done = [
        type(part.op)
        for tree in statements.values()
        for part in ast.walk(tree)
        if isinstance(part, ast.BinOp)
    ]
    return Work(done.count(ast.Mult), done.count(ast.Add) + done.count(ast.Sub))


def is_zero(tree):
    """Whether an expression is just 0."""
    return isinstance(tree, ast.Constant) and tree.value == 0


def used(statements):
    """The names that the torques depend on, made by a statement or not."""
    found, left = set(), [name for name in statements if name.startswith("T")]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            tree = statements.get(name, ast.Constant(0))
            left += [part.id for part in ast.walk(tree) if isinstance(part, ast.Name)]
    return found


def torques(statements, q, qd, qdd):
    """What the statements compute."""
    value = {}
    for i, (x, v, a) in enumerate(zip(q, qd, qdd, strict=True), 1):
        value |= {f"S{i}": sin(x), f"C{i}": cos(x), f"Q{i}": x, f"V{i}": v, f"A{i}": a}

    def evaluate(tree):
        match tree:
            case ast.Constant():
                return tree.value
            case ast.Name():
                if tree.id not in value:
                    value[tree.id] = evaluate(statements[tree.id])
                return value[tree.id]
            case ast.UnaryOp():
                return -evaluate(tree.operand)
            case ast.BinOp():
                return DONE[type(tree.op)](evaluate(tree.left), evaluate(tree.right))

    return [evaluate(ast.Name(f"T{i}")) for i in range(1, len(q) + 1)]


def traced_work(statements, joints):
    """The operations that are left when every value is made once and only if it is needed."""

    def computed(q, qd, qdd):
        return torques(statements, q, qd, qdd)

    count = px.trace(computed, q=joints, qd=joints, qdd=joints).count()
    return Work(count.mul, count.add)
