"""Full references of the papers that reports name."""

REFERENCES = {  # the name in reports -> the reference
    "Featherstone 1983": 'R. Featherstone, "The calculation of robot dynamics using '
    'articulated-body inertias", The International Journal of Robotics Research 2 (1), 1983, '
    "pp. 13-30.",
    "Lathrop 1985": 'R. H. Lathrop, "Parallelism in manipulator dynamics", The International '
    "Journal of Robotics Research 4 (2), 1985, pp. 80-102.",
    "Lee and Chang 1988": 'C. S. G. Lee and P. R. Chang, "Computational structures for robotic '
    'computations", Purdue University, 1988.',
    "Dhanaraj 1990": 'C. Dhanaraj, "Parallel processing of manipulator dynamics incorporating '
    "frictional effects\", Master's thesis, Memorial University of Newfoundland, 1990.",
    "Fijany 1994": 'A. Fijany, "New factorization techniques and parallel O(log N) algorithms for '
    'forward dynamics solution of single closed-chain robot manipulators", Jet Propulsion '
    "Laboratory, California Institute of Technology, 1994.",
    "Hamilton 1996": 'D. L. Hamilton, I. D. Walker and J. K. Bennett, "Parallel robot control '
    'using speculative computation", Rice University, 1996.',
    "Featherstone 1999": 'R. Featherstone, "A divide-and-conquer articulated-body algorithm for '
    'parallel O(log(n)) calculation of rigid-body dynamics. Part 1: Basic algorithm", The '
    "International Journal of Robotics Research 18 (9), 1999, pp. 867-875.",
}
