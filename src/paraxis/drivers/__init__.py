"""How a body is repeated: over states, over time steps, over links."""
