"""LLVM IR as text: a body, the drivers around it, and the ways in from Python and XLA."""
