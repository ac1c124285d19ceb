"""The methods that find when and where tasks run, and lower bounds of their makespan."""
