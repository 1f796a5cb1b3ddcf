from .arith import scaled
