"""Nothing but definitions, and what they print as. None of the bodies has to be right to be defined."""
# says: ^JITFunction\('forward', func_type='orchestration'\)$
# says: ^JITFunction\('attention', func_type='incore'\)$
# says: ^JITFunction\('start', func_type='host'\)$
import pypto.language as pl


@pl.jit.incore
def attention(q: pl.Tensor, k: pl.Tensor, out: pl.Out[pl.Tensor]):
    """Not finished yet."""
    return pl.no_such_operation(q, k, out)


@pl.jit
def forward(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    return attention(x, x, out)


@pl.jit.host
def start(x: pl.Tensor[[2, 8], pl.FP32]):
    forward(x, x, device=0)


@pl.jit.inline
def part(x):
    return x


for fn in (forward, attention, start, part):
    print(repr(fn))
    assert callable(fn) and fn.__wrapped__.__name__ == fn.__name__ and fn.__module__ == "__main__"
assert attention.__doc__ == "Not finished yet."
