"""Workers: programs that are registered once and run many times, in this process, at once."""
import contextvars

import numpy as np

from .. import _arrays
from . import values

_current = contextvars.ContextVar("worker", default=None)


class DeviceTensor:
    """An array that a worker owns. It goes to calls of that worker only."""

    def __init__(self, worker, array, dtype):
        self.worker, self.array, self.dtype = worker, array, dtype
        self.shape = tuple(array.shape)

    def __repr__(self):
        return f"DeviceTensor({list(self.shape)}, {self.dtype})"


class Handle:
    """A registered program, or a call that is over."""

    def __init__(self, worker, compiled, result=None, done=False):
        self.worker, self.compiled, self._result, self.done = worker, compiled, result, done

    def __call__(self, *arrays, config=None):
        return self.worker.run(self.compiled, *arrays, config=config)

    def result(self):
        return self._result

    def wait(self):
        return None


class _Worker:
    def __init__(self, config=None):
        self.config, self.closed = config, False
        self._registered, self._tensors, self._token = [], set(), None
        self._callbacks, self._kept = {}, None  # of a DistributedWorker

    def _open(self):
        if self.closed:
            raise RuntimeError("the worker is closed")

    def _array(self, a):
        if not isinstance(a, DeviceTensor):
            return a
        if a.worker is not self or id(a) not in self._tensors:
            raise TypeError("a DeviceTensor of another worker, or one that was freed")
        return a.array

    def register(self, compiled):
        """Takes a program in; a handle that runs it."""
        self._open()
        if compiled not in self._registered:
            self._registered.append(compiled)
        return Handle(self, compiled)

    @property
    def aicpu_dlopen_count(self):
        """Programs that were registered, each once."""
        return len(self._registered)

    def run(self, compiled, *arrays, config=None):
        self._open()
        self.register(compiled)
        if config is not None:
            compiled._check_platform(config)
        given = compiled._place([self._array(a) for a in arrays], {})
        callbacks = {n: f for n, f in self._callbacks.items() if n in compiled._program.sub_workers}
        kept = self._kept.setdefault(id(compiled), {}) if self._kept is not None else None
        return compiled.launch(given, config if config is not None else self.config, callbacks, kept)

    def submit(self, compiled, *arrays, config=None):
        """run(); a handle that is done already."""
        return Handle(self, compiled, self.run(compiled, *arrays, config=config), True)

    def alloc_tensor(self, shape, dtype, init=None):
        """An array of the worker, with the contents of `init` or zeros."""
        self._open()
        name = dtype.name if isinstance(dtype, values.DataType) else _arrays.OF_NUMPY[str(dtype).replace("torch.", "")]
        like = _arrays.describe(init, "init") if _arrays.is_array(init) else None
        if like is None and type(dtype).__module__ == "torch":
            import torch
            array = torch.zeros(tuple(shape), dtype=dtype)
        else:
            array = _arrays.empty(tuple(shape), name, like)
        if init is not None:
            _arrays.copy(array, init, "init")
        made = DeviceTensor(self, array, dtype)
        self._tensors.add(id(made))
        return made

    def free_tensor(self, tensor):
        self._array(tensor)
        self._tensors.discard(id(tensor))

    def copy_to(self, tensor, source):
        """Host to device."""
        _arrays.copy(self._array(tensor), source, "copy_to")

    def copy_from(self, tensor, target=None):
        """Device to host: into `target`, or a new array."""
        array = self._array(tensor)
        if target is None:
            return array.copy() if isinstance(array, np.ndarray) else array.clone()
        _arrays.copy(target, array, "copy_from")
        return target

    def close(self):
        self.closed = True
        self._tensors.clear()

    def __enter__(self):
        self._token = _current.set(self)
        return self

    def __exit__(self, *exc):
        _current.reset(self._token)
        self.close()

    @staticmethod
    def current():
        """The worker of the innermost `with`, or None."""
        return _current.get()


class ChipWorker(_Worker):
    """Runs programs on one device."""

    def __init__(self, config=None):
        super().__init__(config)


class DistributedWorker(_Worker):
    """Runs programs on the devices of their configuration.

    `callbacks` and `sub_worker_overrides`: functions for the sub-workers of their host functions, by name, instead of the
    bodies. `persistent` with reset_persistent_windows=False: windows start a run as the last one left them.
    """

    def __init__(self, compiled, config=None, extra_compiled=(), persistent=False, reset_persistent_windows=True, callbacks=None,
                 sub_worker_overrides=None, startup_timeout_s=None):
        super().__init__(config)
        for c in [*compiled, *extra_compiled]:
            self.register(c)
        self._callbacks = {**(callbacks or {}), **(sub_worker_overrides or {})}
        self._check_callbacks()
        if persistent and not reset_persistent_windows:
            self._kept = {}

    def _check_callbacks(self):
        """Each belongs to a program, and each program has what it calls."""
        known = {n for c in self._registered for n in c._program.sub_workers}
        unknown = [n for n in self._callbacks if n not in known]
        if unknown:
            raise ValueError(f"no program here has a sub-worker {', '.join(unknown)}; there are {', '.join(sorted(known)) or 'none'}")
        for c in self._registered:
            c.callbacks({n: f for n, f in self._callbacks.items() if n in c._program.sub_workers})

    def __call__(self, *arrays, config=None):
        return self.run(self._registered[0], *arrays, config=config)

    alloc_stacked_tensor = _Worker.alloc_tensor
    free_stacked_tensor = _Worker.free_tensor
    copy_stacked_from = _Worker.copy_from
