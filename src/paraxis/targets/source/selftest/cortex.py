"""How a self-test starts on a Cortex-M: a board of QEMU's has no system that would start it."""

from ..c import block_comment


def start():
    """A C file: the table that the processor reads first, and what it calls."""
    comment = block_comment(
        [
            "Starts the self-test on QEMU's boards with a Cortex-M (mps2-an386, mps2-an500), where "
            "its output goes to the debugger (semihosting). Your own project has its own start."
        ]
    )
    return f"""{comment}

extern void _start(void); /* of the C library */

static void reset(void)
{{
    *(volatile unsigned *)0xE000ED88 |= 0xFu << 20; /* the FPU is off after a reset */
    __asm volatile("dsb\\n isb");
    _start();
}}

static void fault(void)
{{
    for (;;) {{
    }}
}}

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {{
    (void *)0x00400000, /* the stack: the end of the memory at zero */
    (void *)reset, (void *)fault, (void *)fault, (void *)fault, (void *)fault, (void *)fault,
}};
"""
