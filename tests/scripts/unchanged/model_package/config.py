"""Constants of the model."""
HIDDEN = 64
LAYERS = 2
VOCABULARY = 151936
EPS = 1e-6
ROWS = 4096
