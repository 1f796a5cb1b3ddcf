@mine(**options)
def k(x: pl.Tensor[[cfg.rows, *shape[1:]], pl.FP32], y: pl.Out[pl.Tensor[[cfg.rows, 8], pl.FP32]], n: int = 4):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [cfg.rows, table['a\'b'][1]])
        for i in range(sizes['n'] + len(table)):
            t = pl.add(t, cfg.by.amount if mode == Mode.FAST else kernels["slow"](t))
        y = pl.store(t, [0, cfg.tiles[0][1]["x"]], y)
    return y
  @a.b
  def inner(self, x=cfg.x): return lambda q: q.rows + cfg.rows
class P:
    def f(self): return self.g(cfg)
