"""What Paraxis has to say about a robot and this machine: for the terminal and as a page."""
