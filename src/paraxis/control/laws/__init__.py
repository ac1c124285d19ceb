"""Controllers for `px.simulate` that remember, sample and hold."""
