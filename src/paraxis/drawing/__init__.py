"""Pictures and pages: SVG, axes, curves, the style they share. Knows nothing of robots."""
