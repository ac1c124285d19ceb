"""The CPU target: LLVM IR with explicit vectors, compiled by llvmlite."""
