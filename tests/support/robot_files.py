"""The real robots: URDF files of the package example-robot-data, if it is installed."""

from pathlib import Path

import numpy as np

# beside numpy, where pip puts what cmeel builds
ROBOTS = Path(np.__file__).parents[1] / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
FILES = sorted(ROBOTS.glob("**/*.urdf"))
NOT_ROBOTS = {  # file name -> why it is refused, as a regular expression
    "bluevolta.urdf": "has no moving joint",
    "quadrotor_base.urdf": "has no moving joint",
    "iris_simple.urdf": "has no moving joint",
    "falcon.urdf": "child: .* found 'Z_propeller'",  # a broken file
    "ur3.urdf": "expected at least one <link>, found none",  # an empty file
}
