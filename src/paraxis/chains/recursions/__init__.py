"""The recursions along long chains, over generic scalars: links are inputs."""
