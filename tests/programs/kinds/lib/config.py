import numpy as np

ROWS = 2
WIDTH = 16
TABLE = np.ones((ROWS, WIDTH))
