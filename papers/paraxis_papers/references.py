"""Full references of the papers that reports name."""

REFERENCES = {  # the name in reports -> the reference
    "Uicker 1965": 'J. J. Uicker, "On the dynamic analysis of spatial linkages using 4×4 '
    'matrices", Ph.D. thesis, Northwestern University, 1965.',
    "Kahn 1969": 'M. E. Kahn, "The near-minimum-time control of open-loop articulated kinematic '
    'chains", Ph.D. thesis, Stanford University, 1969.',
    "Fernandez and Bussell 1973": 'E. B. Fernandez and B. Bussell, "Bounds on the number of '
    'processors and time for multiprocessor optimal schedules", IEEE Transactions on Computers '
    "C-22 (8), 1973, pp. 745-751.",
    "Raibert and Horn 1978": 'M. H. Raibert and B. K. P. Horn, "Manipulator control using the '
    'configuration space method", The Industrial Robot 5 (2), 1978, pp. 69-73.',
    "Waters 1979": 'R. C. Waters, "Mechanical arm control", A.I. Memo 549, Massachusetts Institute '
    "of Technology, 1979.",
    "Haviland and Tuszynski 1980": 'G. L. Haviland and A. A. Tuszynski, "A CORDIC arithmetic '
    'processor chip", IEEE Transactions on Computers C-29 (2), 1980, pp. 68-78.',
    "Hollerbach 1980": 'J. M. Hollerbach, "A recursive Lagrangian formulation of manipulator '
    'dynamics and a comparative study of dynamics formulation complexity", IEEE Transactions on '
    "Systems, Man and Cybernetics SMC-10 (11), 1980, pp. 730-736.",
    "Luh, Walker and Paul 1980": 'J. Y. S. Luh, M. W. Walker and R. P. C. Paul, "On-line '
    'computational scheme for mechanical manipulators", ASME Journal of Dynamic Systems, '
    "Measurement and Control 102, 1980, pp. 69-76.",
    "Featherstone 1983": 'R. Featherstone, "The calculation of robot dynamics using '
    'articulated-body inertias", The International Journal of Robotics Research 2 (1), 1983, '
    "pp. 13-30.",
    "Lathrop 1985": 'R. H. Lathrop, "Parallelism in manipulator dynamics", The International '
    "Journal of Robotics Research 4 (2), 1985, pp. 80-102.",
    "Luh and Lin 1982": 'J. Y. S. Luh and C. S. Lin, "Scheduling of parallel computation for a '
    'computer-controlled mechanical manipulator", IEEE Transactions on Systems, Man and '
    "Cybernetics 12 (2), 1982, pp. 214-234.",
    "Kasahara and Narita 1985": 'H. Kasahara and S. Narita, "Parallel processing of robot-arm '
    'control computation on a multimicroprocessor system", IEEE Journal of Robotics and '
    "Automation 1 (2), 1985, pp. 104-113.",
    "Khalil, Kleinfinger and Gautier 1986": "W. Khalil, J. F. Kleinfinger and M. Gautier, "
    '"Reducing the computational burden of the dynamic models of robots", IEEE International '
    "Conference on Robotics and Automation, 1986, pp. 525-531.",
    "Burdick 1986": 'J. W. Burdick, "An algorithm for generation of efficient manipulator dynamic '
    'equations", IEEE International Conference on Robotics and Automation, 1986, pp. 212-218.',
    "Balafoutis 1988": 'C. A. Balafoutis, R. V. Patel and P. Misra, "Efficient modeling and '
    'computation of manipulator dynamics using orthogonal Cartesian tensors", IEEE Journal of '
    "Robotics and Automation 4 (6), 1988, pp. 665-676.",
    "Chen, Lee and Hou 1988": 'C. L. Chen, C. S. G. Lee and E. S. H. Hou, "Efficient scheduling '
    'algorithms for robot inverse dynamics computation on a multiprocessor system", IEEE '
    "International Conference on Robotics and Automation, 1988, pp. 1146-1151.",
    "Neuman and Murray 1987": 'C. P. Neuman and J. J. Murray, "Customized computational robot '
    'dynamics", Journal of Robotic Systems 4 (4), 1987, pp. 503-526.',
    "Murray and Neuman 1988": 'J. J. Murray and C. P. Neuman, "Organizing customized robot '
    'dynamics algorithms for efficient numerical evaluation", IEEE Transactions on Systems, '
    "Man and Cybernetics 18 (1), 1988, pp. 115-125.",
    "Toogood 1989": 'R. W. Toogood, "Efficient robot inverse and direct dynamics algorithms using '
    'micro-computer based symbolic generation", IEEE International Conference on Robotics and '
    "Automation, 1989, pp. 1827-1833.",
    "Lee and Chang 1988": 'C. S. G. Lee and P. R. Chang, "Computational structures for robotic '
    'computations", Purdue University, 1988.',
    "Dhanaraj 1990": 'C. Dhanaraj, "Parallel processing of manipulator dynamics incorporating '
    "frictional effects\", Master's thesis, Memorial University of Newfoundland, 1990.",
    "Fijany 1994": 'A. Fijany, "New factorization techniques and parallel O(log N) algorithms for '
    'forward dynamics solution of single closed-chain robot manipulators", Jet Propulsion '
    "Laboratory, California Institute of Technology, 1994.",
    "Nigam 1985": 'R. Nigam and C. S. G. Lee, "A multiprocessor-based controller for control of '
    'mechanical manipulators", IEEE Journal of Robotics and Automation RA-1 (4), 1985, '
    "pp. 173-182.",
    "Binder 1986": 'E. E. Binder and J. H. Herzog, "Distributed computer architecture and fast '
    'parallel algorithms in real-time robot control", IEEE Transactions on Systems, Man, and '
    "Cybernetics SMC-16 (4), 1986, pp. 543-549.",
    "Vuskovic 1990": 'M. Vuskovic, T. Liang and K. Anantha, "Decoupled parallel recursive '
    'Newton-Euler algorithm for inverse dynamics", IEEE International Conference on Robotics and '
    "Automation, Cincinnati, 1990, pp. 832-838.",
    "Papadimitriou and Yannakakis 1990": 'C. H. Papadimitriou and M. Yannakakis, "Towards an '
    'architecture-independent analysis of parallel algorithms", SIAM Journal on Computing 19 (2), '
    "1990, pp. 322-328.",
    "Yamakita 1991": 'M. Yamakita, Y. Hoshino, K. Morimoto and K. Furuta, "Parallel implementation '
    'of Newton-Euler algorithm with one step ahead prediction", IEEE International Conference on '
    "Robotics and Automation, Sacramento, 1991, pp. 1842-1849.",
    "Hamilton 1996": 'D. L. Hamilton, I. D. Walker and J. K. Bennett, "Parallel robot control '
    'using speculative computation", IEEE International Conference on Robotics and Automation, '
    "Minneapolis, 1996, doi:10.1109/ROBOT.1996.509233.",
    "Featherstone 1999": 'R. Featherstone, "A divide-and-conquer articulated-body algorithm for '
    'parallel O(log(n)) calculation of rigid-body dynamics. Part 1: Basic algorithm", The '
    "International Journal of Robotics Research 18 (9), 1999, pp. 867-875.",
}
