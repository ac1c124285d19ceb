"""The methods that find when and where tasks run, and bounds on how early they can be done."""
