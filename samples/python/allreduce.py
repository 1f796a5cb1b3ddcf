"""An all-reduce over four devices, from NumPy arrays to a drawing of the run.

    python3 samples/python/allreduce.py            (PYTHONPATH=python, after make)
"""
import os

import numpy as np

import pld

kernel = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "08_allreduce_mesh.pld")
p = pld.compile(kernel, devices=4)
x = np.random.default_rng(0).standard_normal(p.params["x"].shape, dtype=np.float32)

r = p.run(x=x, cost=True, timeline=True)
np.testing.assert_allclose(r.outputs["y"], np.broadcast_to(x.sum(0), x.shape), rtol=1e-4, atol=1e-5)
print(f"{r.verdict}: {r.time_ps / 1e6:.2f} us modelled, a timeline of {len(r.timeline.svg)} bytes")

# Under weak memory and another schedule the bits are the same.
again = p.run(x=x, mem="weak", schedule="random:7")
assert (again.outputs["y"] == r.outputs["y"]).all()

# A wait left out: the values may come out right, the race is named all the same.
with open(kernel) as f:
    broken = f.read().replace("expected=1,", "expected=0,")
try:
    pld.loads(broken).run(np.zeros((2, 1, 64), np.float32))
except pld.CheckError as e:
    print(f"line {e.reports[0].line}: {e.reports[0].text.splitlines()[0]}")
else:
    raise SystemExit("the race was not found")
