"""What PyTorch and JAX share."""
