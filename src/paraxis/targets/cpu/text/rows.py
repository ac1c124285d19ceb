"""Between arrays in memory and vectors in registers.

A body wants entry k of eight states in one register; people keep the entries of one state side
by side. A `load` function fills a scratch block of vectors from an array, a `store` function
empties one, in one of three layouts that the caller gives by number:

    ROWS     entries of a state are adjacent, states a fixed number of bytes apart
    COLUMNS  states are adjacent, entries a fixed number of bytes apart
    ANY      both strides free; also the partial block at the end, missing lanes repeating the last

ROWS transposes in registers (tiles.py). What all states share (0 bytes between states) is read once
and spread over the lanes, in any layout.
"""

import itertools

from ....drivers.map import ANY, COLUMNS, ROWS
from .tiles import Straight, cell_entries, load_tile, store_tile, tiles, wide_cell

WRITTEN_OUT = 32  # entries; longer rows become a loop over tiles


def define_load(module, name, lanes, entries, ahead=0):
    """Add `void @name(ptr array, i64 column, i64 row, ptr block, i64 layout, i64 count)`.

    Moves `count` states into consecutive blocks, the last of them perhaps partly filled. With
    `ahead`, columns are requested from memory that many blocks early: there are more of them
    than the hardware can follow.
    """
    _define(module, name, lanes, entries, ahead, _load_tile, _load_column, _load_any, _shared)


def define_store(module, name, lanes, entries, ahead=0):
    """Add the same signature, from blocks to array."""
    _define(module, name, lanes, entries, ahead, _store_tile, _store_column, _store_any)


def _define(module, name, lanes, entries, ahead, tile, column, any_, shared=None):
    vector = lanes.count * lanes.size
    can_tile = entries >= cell_entries(lanes)
    module.declare("declare i64 @llvm.umin.i64(i64, i64)")
    module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    module.define(
        name,
        f"""
define internal void @{name}(ptr %array, i64 %column, i64 %row, ptr %block, i64 %layout, i64 %count) nounwind {{
entry:
  %whole = udiv i64 %count, {lanes.count}
{shared(lanes, entries) if shared else "  br label %apart"}
apart:
  %one.block.on = mul i64 %row, {lanes.count}
  %none = icmp eq i64 %whole, 0
  %layout.now = select i1 %none, i64 {ANY}, i64 %layout
  switch i64 %layout.now, label %loose [ i64 {ROWS}, label {"%rows" if can_tile else "%loose"}  i64 {COLUMNS}, label %columns ]

{_rows(lanes, entries, tile) if can_tile else ""}
columns: ; all blocks of one column, then the next: a column is read along memory
  %c = phi i64 [ 0, %apart ], [ %c.next, %column.end ]
  %c.offset = mul i64 %c, %column
  %c.first = getelementptr i8, ptr %array, i64 %c.offset
  %c.inside = mul i64 %c, {vector}
  %c.into = getelementptr i8, ptr %block, i64 %c.inside
  br label %column.block
column.block:
  %cb = phi i64 [ 0, %columns ], [ %cb.next, %column.block ]
  %cb.offset = mul i64 %cb, {vector}
  %c.array = getelementptr i8, ptr %c.first, i64 %cb.offset
  %cb.inside = mul i64 %cb, {entries * vector}
  %c.block = getelementptr i8, ptr %c.into, i64 %cb.inside
  %cb.ahead = getelementptr i8, ptr %c.array, i64 {ahead * vector}
{request("%cb.ahead", tile is _store_tile) if ahead else ""}
{column(lanes)}
  %cb.next = add i64 %cb, 1
  %cb.more = icmp ult i64 %cb.next, %whole
  br i1 %cb.more, label %column.block, label %column.end
column.end:
  %c.next = add i64 %c, 1
  %c.more = icmp ult i64 %c.next, {entries}
  br i1 %c.more, label %columns, label %moved

moved: ; all whole blocks; is there a partial one?
  %whole.states = mul i64 %whole, {lanes.count}
  %partial = icmp ult i64 %whole.states, %count
  br i1 %partial, label %loose, label %done

loose: ; one by one, whatever is left
  %b = phi i64 [ 0, %apart ]{"" if can_tile else ", [ 0, %apart ]"}, [ %whole, %moved ], [ %b.next, %loose.end ]
  %b.first = mul i64 %b, {lanes.count}
  %b.left = sub i64 %count, %b.first
  %present = call i64 @llvm.umin.i64(i64 %b.left, i64 {lanes.count})
  %last.lane = sub i64 %present, 1
  %b.offset = mul i64 %b, %one.block.on
  %b.array = getelementptr i8, ptr %array, i64 %b.offset
  %b.inside = mul i64 %b, {entries * vector}
  %b.block = getelementptr i8, ptr %block, i64 %b.inside
  br label %loose.column
loose.column:
  %k = phi i64 [ 0, %loose ], [ %k.next, %loose.next ]
  %k.offset = mul i64 %k, %column
  %k.array = getelementptr i8, ptr %b.array, i64 %k.offset
  %k.inside = mul i64 %k, {vector}
  %k.block = getelementptr i8, ptr %b.block, i64 %k.inside
  br label %lane
lane:
  %l = phi i64 [ 0, %loose.column ], [ %l.next, %lane ]
{any_(lanes)}
  br i1 %l.more, label %lane, label %loose.next
loose.next:
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, {entries}
  br i1 %k.more, label %loose.column, label %loose.end
loose.end:
  %b.next = add i64 %b, 1
  %b.done = mul i64 %b.next, {lanes.count}
  %b.more = icmp ult i64 %b.done, %count
  br i1 %b.more, label %loose, label %done

done:
  ret void
}}""",
    )


def request(pointer, to_write, near=True):
    """Ask for a cache line; `near` for the first cache, else the second."""
    place = 3 if near else 2
    return f"  call void @llvm.prefetch.p0(ptr {pointer}, i32 {int(to_write)}, i32 {place}, i32 1)"


def _load_column(lanes):
    return f"""  %c.value = load {lanes.type}, ptr %c.array, align {lanes.size}
  store {lanes.type} %c.value, ptr %c.block, align {lanes.count * lanes.size}"""


def _store_column(lanes):
    return f"""  %c.value = load {lanes.type}, ptr %c.block, align {lanes.count * lanes.size}
  store {lanes.type} %c.value, ptr %c.array, align {lanes.size}"""


def _load_any(lanes):
    """Every lane is filled; those past the end repeat the last state."""
    return f"""  %l.state = call i64 @llvm.umin.i64(i64 %l, i64 %last.lane)
  %l.offset = mul i64 %l.state, %row
  %l.array = getelementptr i8, ptr %k.array, i64 %l.offset
  %l.block = getelementptr {lanes.element}, ptr %k.block, i64 %l
  %l.value = load {lanes.element}, ptr %l.array, align {lanes.size}
  store {lanes.element} %l.value, ptr %l.block, align {lanes.size}
  %l.next = add i64 %l, 1
  %l.more = icmp ult i64 %l.next, {lanes.count}"""


def _store_any(lanes):
    return f"""  %l.offset = mul i64 %l, %row
  %l.array = getelementptr i8, ptr %k.array, i64 %l.offset
  %l.block = getelementptr {lanes.element}, ptr %k.block, i64 %l
  %l.value = load {lanes.element}, ptr %l.block, align {lanes.size}
  store {lanes.element} %l.value, ptr %l.array, align {lanes.size}
  %l.next = add i64 %l, 1
  %l.more = icmp ult i64 %l.next, %present"""


def _shared(lanes, entries):
    """Where all states share their entries: each is read once, for all lanes of all blocks."""
    type_, vector = lanes.type, lanes.count * lanes.size
    return f"""  %alike = icmp eq i64 %row, 0
  br i1 %alike, label %shared, label %apart
shared:
  %s = phi i64 [ 0, %entry ], [ %s.next, %shared.end ]
  %s.offset = mul i64 %s, %column
  %s.array = getelementptr i8, ptr %array, i64 %s.offset
  %s.one = load {lanes.element}, ptr %s.array, align {lanes.size}
  %s.first = insertelement {type_} poison, {lanes.element} %s.one, i64 0
  %s.value = shufflevector {type_} %s.first, {type_} poison, <{lanes.count} x i32> zeroinitializer
  %s.inside = mul i64 %s, {vector}
  %s.into = getelementptr i8, ptr %block, i64 %s.inside
  br label %shared.block
shared.block:
  %sb = phi i64 [ 0, %shared ], [ %sb.next, %shared.block ]
  %sb.inside = mul i64 %sb, {entries * vector}
  %sb.block = getelementptr i8, ptr %s.into, i64 %sb.inside
  store {type_} %s.value, ptr %sb.block, align {vector}
  %sb.next = add i64 %sb, 1
  %sb.states = mul i64 %sb.next, {lanes.count}
  %sb.more = icmp ult i64 %sb.states, %count
  br i1 %sb.more, label %shared.block, label %shared.end
shared.end:
  %s.next = add i64 %s, 1
  %s.more = icmp ult i64 %s.next, {entries}
  br i1 %s.more, label %shared, label %done"""


def _rows(lanes, entries, tile):
    """Tile by tile; the last tile may overlap the one before. Few tiles are written out."""
    size, vector = lanes.size, lanes.count * lanes.size
    pointers = [f"%row{state}" for state in range(lanes.count)]
    steps = "\n".join(
        f"  {pointer} = getelementptr i8, ptr {before}, i64 %row"
        for before, pointer in itertools.pairwise(pointers)
    )
    wide = wide_cell(lanes)
    code = Straight()
    if entries <= WRITTEN_OUT:
        for start, cell in tiles(entries, lanes):
            tile(code, lanes, cell, pointers, start * size, "%r.block", start * vector)
        text = f"{code}\n  br label %rows.end"
    else:
        tile(code, lanes, wide, pointers, "%t.offset", "%t.block", 0)
        text = f"""  br label %tile
tile:
  %t = phi i64 [ 0, %rows ], [ %t.next, %tile ]
  %t.first = call i64 @llvm.umin.i64(i64 %t, i64 {entries - wide})
  %t.offset = mul i64 %t.first, {size}
  %t.inside = mul i64 %t.first, {vector}
  %t.block = getelementptr i8, ptr %r.block, i64 %t.inside
{code}
  %t.next = add i64 %t, {wide}
  %t.more = icmp ult i64 %t.next, {entries}
  br i1 %t.more, label %tile, label %rows.end"""
    return f"""rows:
  %r = phi i64 [ 0, %apart ], [ %r.next, %rows.end ]
  %r.offset = mul i64 %r, %one.block.on
  %row0 = getelementptr i8, ptr %array, i64 %r.offset
  %r.inside = mul i64 %r, {entries * vector}
  %r.block = getelementptr i8, ptr %block, i64 %r.inside
{steps}
{text}
rows.end:
  %r.next = add i64 %r, 1
  %r.more = icmp ult i64 %r.next, %whole
  br i1 %r.more, label %rows, label %moved
"""


def _load_tile(code, lanes, e, rows, offset, block, inside):
    vector = lanes.count * lanes.size
    for j, register in enumerate(load_tile(code, lanes, e, _address(code, rows, offset))):
        place = code.let(f"getelementptr i8, ptr {block}, i64 {inside + j * vector}")
        code.do(f"store {lanes.type} {register}, ptr {place}, align {vector}")


def _store_tile(code, lanes, e, rows, offset, block, inside):
    vector, registers = lanes.count * lanes.size, []
    for j in range(e):
        place = code.let(f"getelementptr i8, ptr {block}, i64 {inside + j * vector}")
        registers.append(code.let(f"load {lanes.type}, ptr {place}, align {vector}"))
    store_tile(code, lanes, e, registers, _address(code, rows, offset))


def _address(code, rows, offset):
    return lambda state: code.let(f"getelementptr i8, ptr {rows[state]}, i64 {offset}")
