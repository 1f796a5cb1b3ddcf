"""Kernels under pytest: a failing check is an exception with its whole report."""
import os

import numpy as np

import pld

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else "samples/python", "..")


def test_softmax_is_numpys():
    p = pld.compile(f"{SAMPLES}/21_softmax.pld", devices=2)
    x = np.random.default_rng(1).standard_normal(p.params["x"].shape, dtype=np.float32) * 10
    e = np.exp(x - x.max(-1, keepdims=True))
    np.testing.assert_allclose(p.run(x, golden={"y": e / e.sum(-1, keepdims=True)}, rtol=1e-5, atol=1e-7).outputs["y"],
                               e / e.sum(-1, keepdims=True), rtol=1e-5, atol=1e-7)


def test_every_mode_of_allreduce_agrees():
    x = np.random.default_rng(2).standard_normal((4, 1, 64), dtype=np.float32)
    results = [pld.compile(f"{SAMPLES}/11_allreduce_reveal.pld", devices=4, defines={"mode": m})(x) for m in ("mesh", "ring")]
    np.testing.assert_allclose(*results, rtol=1e-4, atol=1e-5)


def test_schedules_do_not_matter():
    p = pld.compile(f"{SAMPLES}/36_pipeline_stages.pld", devices=3)
    runs = [p.run(schedule=s).outputs["y"] for s in ("clock", "random:1", "pct:1:3")]
    for y in runs[1:]:
        np.testing.assert_array_equal(y, runs[0])
