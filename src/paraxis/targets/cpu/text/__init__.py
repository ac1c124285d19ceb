"""LLVM IR as text: a body, the drivers around it, and the entry points from Python and XLA."""
