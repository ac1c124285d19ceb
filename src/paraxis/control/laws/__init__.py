"""Controllers for `px.simulate`: with memory, sampled, delayed, and with actuators."""
