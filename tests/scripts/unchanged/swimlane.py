"""RunConfig that wants a drawing of the run: files in the folder of the compiled program."""
# says: ^timeline.svg trace.json$
import os
import warnings

import numpy as np
import pypto.language as pl
from pypto.runtime import RunConfig


@pl.jit
def negate(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="negate"):
        y = pl.store(pl.neg(pl.load(x, [0, 0], [8, 16])), [0, 0], y)
    return y


x, y = np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32)
config = RunConfig(enable_chip_swimlane=True)
compiled = negate.compile(x, y, config=config)
assert not os.path.exists("build_output"), "compiling leaves nothing behind"
compiled(x, y, config=config)
assert (y == -1).all()
print(*sorted(os.listdir(compiled.output_dir / "dfx_outputs")))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert RunConfig(enable_l2_swimlane=1).enable_chip_swimlane == 1
assert caught and caught[0].category is DeprecationWarning
