"""What the threads of a team do in native code: post a job, work, wait, sleep (targets/cpu/team.py).

A stamp is the number of the job that something belongs to: the values of a line, what lies on a
desk. Numbers only grow, so a thread waits until a stamp is no longer less than its own job's.
Stamps are written with release and read with acquire, after and before what they speak for.
"""

import platform

from ..team import (
    ARRAYS,
    ASLEEP,
    BUSY,
    DONE,
    FUNCTION,
    JOB,
    LOCK,
    MEMBERS,
    SLEEP,
    UNSETTLED,
    WAKE,
    YIELD,
    desk,
)
from .module import Module

SPINS = 1024  # before a thread that waits looks after the others: some ten microseconds
POLITE = 64  # and between the times it lets others run from then on
HOT = 512  # times SPINS before a member without work goes to sleep: some milliseconds


# -- waiting ---------------------------------------------------------------------------------------


def wait_text(module, label, stamp):
    """Lines that wait until a stamp is %job; `label` makes their names their own."""
    return f"""  br label %{label}.from
{label}.from:
  br label %{label}.look
{label}.look:
  %{label}.k = phi i64 [ 0, %{label}.from ], [ %{label}.next, %{label}.again ]
  %{label}.found = load atomic i64, ptr {stamp} acquire, align 8
  %{label}.there = icmp uge i64 %{label}.found, %job
  br i1 %{label}.there, label %{label}.done, label %{label}.again
{label}.again:
  {_pause(module)}
  %{label}.next = add i64 %{label}.k, 1
  %{label}.long = icmp uge i64 %{label}.next, {SPINS}
  br i1 %{label}.long, label %{label}.others, label %{label}.look
{label}.others:
  call preserve_allcc void @wait_long(ptr {stamp}, i64 %job, ptr %team)
  br label %{label}.done
{label}.done:"""


def define_waiting(module):
    """Add `void @wait_long(ptr stamp, i64 job, ptr team)`, and `@wake` of one member.

    Who waits long may be on one core with whom it waits for, or that one may have gone to sleep
    just before the job was there. The function keeps all registers, so that code which hardly
    ever calls it does not pay for it.
    """
    module.define(
        "wait_long",
        f"""
define internal preserve_allcc void @wait_long(ptr %stamp, i64 %job, ptr %team) noinline cold nounwind {{
entry:
  %unsettled = getelementptr i64, ptr %team, i64 {UNSETTLED}
  store atomic i64 1, ptr %unsettled monotonic, align 8
  %members.at = getelementptr i64, ptr %team, i64 {MEMBERS}
  %yield.at = getelementptr i64, ptr %team, i64 {YIELD}
  %yield = load ptr, ptr %yield.at, align 8
  br label %others
others:
  %members = load i64, ptr %members.at, align 8
  br label %member
member:
  %m = phi i64 [ 0, %others ], [ %m.next, %one ]
  %all = icmp uge i64 %m, %members
  br i1 %all, label %polite, label %one
one:
  %desk.from = mul i64 %m, {desk(2) - desk(1)}
  %desk.word = add i64 %desk.from, {desk(1)}
  %desk = getelementptr i64, ptr %team, i64 %desk.word
  call void @wake(ptr %team, ptr %desk)
  %m.next = add i64 %m, 1
  br label %member
polite:
  call void %yield()
  br label %look
look:
  %k = phi i64 [ 0, %polite ], [ %k.next, %again ]
  %found = load atomic i64, ptr %stamp acquire, align 8
  %there = icmp uge i64 %found, %job
  br i1 %there, label %done, label %again
again:
  {_pause(module)}
  %k.next = add i64 %k, 1
  %enough = icmp uge i64 %k.next, {POLITE}
  br i1 %enough, label %others, label %look
done:
  ret void
}}""",
    )
    module.define(
        "wake",
        f"""
define internal void @wake(ptr %team, ptr %desk) noinline cold nounwind {{
  %asleep.at = getelementptr i64, ptr %desk, i64 {ASLEEP}
  %asleep = atomicrmw xchg ptr %asleep.at, i64 0 seq_cst, align 8
  %no = icmp eq i64 %asleep, 0
  br i1 %no, label %done, label %sleeper
sleeper:
  %lock.at = getelementptr i64, ptr %desk, i64 {LOCK}
  %lock = load ptr, ptr %lock.at, align 8
  %wake.at = getelementptr i64, ptr %team, i64 {WAKE}
  %wake = load ptr, ptr %wake.at, align 8
  call void %wake(ptr %lock)
  br label %done
done:
  ret void
}}""",
    )


def _pause(module):
    """Tells the core that this is a loop that waits."""
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        module.declare("declare void @llvm.x86.sse2.pause()")
        return "call void @llvm.x86.sse2.pause()"
    if machine in ("arm64", "aarch64"):
        module.declare("declare void @llvm.aarch64.hint(i32)")
        return "call void @llvm.aarch64.hint(i32 1)"
    return "fence acquire"  # nothing


# -- the caller ------------------------------------------------------------------------------------


def define_job(module, name, arrays, members, first):
    """Add `i1 @name(ptr array..., ptr frame)`: have the team do a job, if it is free.

    `members` are the functions of the members, (ptr desk, i64 job, ptr team); `first` is the
    caller's own, (ptr array..., i64 job, ptr team, ptr frame).
    """
    given = _given(arrays)
    desks = range(1, len(members) + 1)
    own = ", ".join([*_pointers(arrays), "i64 %job", "ptr %team", "ptr %frame"])
    module.define(
        name,
        f"""
@team = global ptr null, align 8
define internal i1 @{name}({given}) nounwind {{
entry:
  %team = load ptr, ptr @team, align 8
  %busy = getelementptr i64, ptr %team, i64 {BUSY}
  %pair = cmpxchg ptr %busy, i64 0, i64 1 acquire monotonic, align 8
  %free = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %free, label %ours, label %refuse
ours:
  %members.at = getelementptr i64, ptr %team, i64 {MEMBERS}
  %members = load i64, ptr %members.at, align 8
  %enough = icmp uge i64 %members, {len(members)}
  br i1 %enough, label %begin, label %leave
leave:
  store atomic i64 0, ptr %busy release, align 8
  br label %refuse
refuse:
  ret i1 false
begin:
  %job.at = getelementptr i64, ptr %team, i64 {JOB}
  %last = load i64, ptr %job.at, align 8
  %job = add i64 %last, 1
  store i64 %job, ptr %job.at, align 8
{_lines(_post(k, members[k - 1], arrays) for k in desks)}
{_lines(_rouse(k) for k in desks)}
  call void @{first}({own})
{_lines(_until_done(module, k) for k in desks)}
  store atomic i64 0, ptr %busy release, align 8
  ret i1 true
}}""",
    )


def _post(k, function, arrays):
    words = {FUNCTION: f"@{function}"} | {ARRAYS + j: f"%array{j}" for j in range(arrays)}
    stores = [
        f"""  %desk{k}.{word} = getelementptr i64, ptr %desk{k}, i64 {word}
  store ptr {value}, ptr %desk{k}.{word}, align 8"""
        for word, value in words.items()
    ]
    return f"""  %desk{k} = getelementptr i64, ptr %team, i64 {desk(k)}
{_lines(stores)}
  store atomic i64 %job, ptr %desk{k} release, align 8"""


def _rouse(k):
    """Only looks: a member that falls asleep at this moment is woken by who waits for it long."""
    return f"""  %asleep{k}.at = getelementptr i64, ptr %desk{k}, i64 {ASLEEP}
  %asleep{k} = load atomic i64, ptr %asleep{k}.at monotonic, align 8
  %awake{k} = icmp eq i64 %asleep{k}, 0
  br i1 %awake{k}, label %roused{k}, label %rouse{k}
rouse{k}:
  call void @wake(ptr %team, ptr %desk{k})
  br label %roused{k}
roused{k}:"""


def _until_done(module, k):
    return f"""  %done{k} = getelementptr i64, ptr %desk{k}, i64 {DONE}
{wait_text(module, f"end{k}", f"%done{k}")}"""


def define_settled(module, name, job, arrays):
    """Add `i1 @name(ptr array..., ptr frame)`: do the job, if the team is settled.

    For a caller who holds what others may want: who is not settled may take long.
    """
    given = _given(arrays)
    module.define(
        name,
        f"""
define internal i1 @{name}({given}) nounwind {{
  %team = load ptr, ptr @team, align 8
  %unsettled.at = getelementptr i64, ptr %team, i64 {UNSETTLED}
  %unsettled = load atomic i64, ptr %unsettled.at monotonic, align 8
  %settled = icmp eq i64 %unsettled, 0
  br i1 %settled, label %go, label %refuse
go:
  %done = call i1 @{job}({given})
  ret i1 %done
refuse:
  ret i1 false
}}""",
    )


def define_run(module, job, entries, lanes, frame):
    """Add `void @run(ptr arrays, i64 states)`: the job for one state after another.

    `arrays` are the addresses of arrays of so many entries a state, states in a row.
    """
    loads = [
        f"""  %at{k} = getelementptr ptr, ptr %arrays, i64 {k}
  %first{k} = load ptr, ptr %at{k}, align 8"""
        for k in range(len(entries))
    ]
    moves = [
        f"""  %offset{k} = mul i64 %state, {count * lanes.size}
  %array{k} = getelementptr i8, ptr %first{k}, i64 %offset{k}"""
        for k, count in enumerate(entries)
    ]
    module.define(
        "run",
        f"""
define void @run(ptr %arrays, i64 %states) nounwind {{
entry:
  %frame = alloca [{max(frame, 1)} x {lanes.element}], align 8
  %team = load ptr, ptr @team, align 8
  %yield.at = getelementptr i64, ptr %team, i64 {YIELD}
  %yield = load ptr, ptr %yield.at, align 8
{_lines(loads)}
  br label %each
each:
  %state = phi i64 [ 0, %entry ], [ %next, %over ]
  %more = icmp ult i64 %state, %states
  br i1 %more, label %one, label %all
one:
{_lines(moves)}
  br label %ask
ask:
  %done = call i1 @{job}({_given(len(entries))})
  br i1 %done, label %over, label %later
later: ; another thread has the team
  call void %yield()
  br label %ask
over:
  %next = add i64 %state, 1
  br label %each
all:
  ret void
}}""",
    )


# -- the members -----------------------------------------------------------------------------------


def define_member(module, name, part, arrays, frame, element):
    """Add `void @name(ptr desk, i64 job, ptr team)`: a part, with what lies on the desk."""
    loads = [
        f"""  %at{k} = getelementptr i64, ptr %desk, i64 {ARRAYS + k}
  %array{k} = load ptr, ptr %at{k}, align 8"""
        for k in range(arrays)
    ]
    own = ", ".join([*_pointers(arrays), "i64 %job", "ptr %team", "ptr %frame"])
    module.define(
        name,
        f"""
define internal void @{name}(ptr %desk, i64 %job, ptr %team) nounwind {{
  %frame = alloca [{max(frame, 1)} x {element}], align 8
{_lines(loads)}
  call void @{part}({own})
  ret void
}}""",
    )


def member_source():
    """The module with `void @work(ptr team, ptr desk)`, the life of a member."""
    module = Module()
    module.define(
        "work",
        f"""
define void @work(ptr %team, ptr %desk) {{
entry:
  %done.at = getelementptr i64, ptr %desk, i64 {DONE}
  %asleep.at = getelementptr i64, ptr %desk, i64 {ASLEEP}
  %lock.at = getelementptr i64, ptr %desk, i64 {LOCK}
  %lock = load ptr, ptr %lock.at, align 8
  %function.at = getelementptr i64, ptr %desk, i64 {FUNCTION}
  %yield.at = getelementptr i64, ptr %team, i64 {YIELD}
  %yield = load ptr, ptr %yield.at, align 8
  %sleep.at = getelementptr i64, ptr %team, i64 {SLEEP}
  %sleep = load ptr, ptr %sleep.at, align 8
  %first = load i64, ptr %done.at, align 8
  br label %idle

idle:
  %last = phi i64 [ %first, %entry ], [ %job, %working ], [ %last, %slept ]
  br label %look
look:
  %k = phi i64 [ 0, %idle ], [ %next, %again ], [ %next, %polite ]
  %job = load atomic i64, ptr %desk acquire, align 8
  %new = icmp ne i64 %job, %last
  br i1 %new, label %working, label %nothing
nothing:
  {_pause(module)}
  %next = add i64 %k, 1
  %tired = icmp uge i64 %next, {SPINS * HOT}
  br i1 %tired, label %bed, label %again
again:
  %rest = urem i64 %next, {SPINS}
  %turn = icmp eq i64 %rest, 0
  br i1 %turn, label %polite, label %look
polite:
  call void %yield()
  br label %look

working:
  %function = load ptr, ptr %function.at, align 8
  call void %function(ptr %desk, i64 %job, ptr %team)
  store atomic i64 %job, ptr %done.at release, align 8
  br label %idle

bed: ; say so first, then look once more: who brings a job looks for sleepers after that
  %was = atomicrmw xchg ptr %asleep.at, i64 1 seq_cst, align 8
  %late = load atomic i64, ptr %desk seq_cst, align 8
  %none = icmp eq i64 %late, %last
  br i1 %none, label %asleep, label %up
up: ; whoever took the word back before us is about to release the lock
  %pair = cmpxchg ptr %asleep.at, i64 1, i64 0 seq_cst seq_cst, align 8
  %unseen = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %unseen, label %slept, label %asleep
asleep:
  %held = call i32 %sleep(ptr %lock, i32 1)
  br label %slept
slept:
  br label %idle
}}""",
    )
    return str(module)


def _pointers(arrays):
    return [f"ptr %array{k}" for k in range(arrays)]


def _given(arrays):
    return ", ".join([*_pointers(arrays), "ptr %frame"])


def _lines(parts):
    return "\n".join(parts)
