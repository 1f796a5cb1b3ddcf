"""Vector add over torch tensors of any number of rows; one compiled program serves several sizes."""
# says: ^PASS
import argparse
import torch
import pypto.language as pl
from pypto.runtime import RunConfig

ROWS = pl.dynamic("ROWS")
TILE_ROWS, COLS = 16, 64


@pl.jit.incore
def add_tile(a: pl.Tensor[[ROWS, COLS], pl.FP32], b: pl.Tensor[[ROWS, COLS], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]], row: pl.Scalar[pl.INDEX]):
    ta = pl.load(a, [row, 0], [TILE_ROWS, COLS])
    tb = pl.load(b, [row, 0], [TILE_ROWS, COLS])
    return pl.store(ta + tb, [row, 0], out)


@pl.jit
def vector_add(a: pl.Tensor[[ROWS, COLS], pl.FP32], b: pl.Tensor[[ROWS, COLS], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    for row in pl.range(0, ROWS, TILE_ROWS):
        out = add_tile(a, b, out, row)
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"])
    ap.add_argument("-d", "--device", type=int, default=0)
    args = ap.parse_args()
    cfg = RunConfig(platform=args.platform, device_id=args.device)
    first = None
    for rows in (16, 32, 128):
        a, b = torch.randn(rows, COLS), torch.randn(rows, COLS)
        out = torch.zeros(rows, COLS)
        vector_add(a, b, out, config=cfg)
        torch.testing.assert_close(out, a + b)
        c = vector_add.compile(a, b, out, config=cfg)
        first = first or c
        assert c is first
    r = vector_add(a, b, config=cfg)
    assert torch.equal(r, a + b), "return style"
    print("PASS")

if __name__ == "__main__":
    main()
