"""RunConfig and DistributedConfig: what a script says about its runs."""
import dataclasses
import difflib
import enum
import warnings
from typing import Any, Optional

from .. import program as _program
from . import session

# Each simulated one, and the machine that it stands for.
PLATFORMS = tuple(name for p in _program.platforms() for name in (p["name"], p["name"][:-len("sim")]))


class OptimizationStrategy(enum.Enum):
    Default = 0
    DebugTileOptimization = 1


class PassDumpLevel(enum.IntEnum):
    NONE = 0
    CONCISE = 1
    EXPLICIT = 2


class BackendType(enum.Enum):
    Ascend910B = 0
    Ascend950 = 1


def _fail(message):
    raise ValueError(message)


def simulated(platform):
    """The platform as the library knows it: "a2a3" is a machine that is not there, and is simulated."""
    if platform not in PLATFORMS:
        near = difflib.get_close_matches(str(platform), PLATFORMS, 1)
        _fail(f"unknown platform {platform!r}{f'; did you mean {near[0]!r}?' if near else ''}; there are "
              f"{', '.join(PLATFORMS)}")
    if not platform.endswith("sim"):
        session.say_once(f"note: there is no {platform} machine here: it is simulated")
        platform += "sim"
    return platform


def backend_of(platform):
    """The kind of device that it has."""
    return BackendType.Ascend950 if platform.startswith("a5") else BackendType.Ascend910B


def _ring(name, value, good, wanted):
    values = value if isinstance(value, (list, tuple)) else [value]
    if isinstance(value, (list, tuple)) and len(values) != 4:
        _fail(f"{name} is a number or a list of 4 numbers, got {value!r}")
    for v in values:
        if not isinstance(v, int) or isinstance(v, bool) or not (good(v) or (v == 0 and len(values) == 4)):
            _fail(f"{name}: wanted {wanted}, got {v!r}")


def _power(least):
    return lambda v: v >= least and v & (v - 1) == 0


@dataclasses.dataclass
class DistributedConfig:
    """Devices of a program: rank i is device_ids[i]. The other fields are checked and have no effect."""

    device_ids: Any = dataclasses.field(default_factory=lambda: [0])
    num_sub_workers: int = 0
    runtime: str = "tensormap_and_ringbuffer"
    aicpu_thread_num: int = 0

    def __post_init__(self):
        self.device_ids = [d if isinstance(d, bool) else _integer(d) for d in self.device_ids]
        if not self.device_ids:
            _fail("device_ids is empty: a program needs a device")
        for d in self.device_ids:
            if not isinstance(d, int) or isinstance(d, bool) or d < 0:
                _fail(f"device_ids: wanted device numbers from 0 on, got {d!r}")
        if len(set(self.device_ids)) < len(self.device_ids):
            _fail(f"device_ids {self.device_ids} names a device twice")
        if not isinstance(self.num_sub_workers, int) or self.num_sub_workers < 0:
            _fail(f"num_sub_workers is 0 or more, got {self.num_sub_workers!r}")
        if self.aicpu_thread_num != 0 and self.aicpu_thread_num < 2:
            _fail(f"aicpu_thread_num is 0 or at least 2, got {self.aicpu_thread_num!r}")
        if self.runtime not in ("tensormap_and_ringbuffer", "host_build_graph"):
            _fail(f"runtime: wanted 'tensormap_and_ringbuffer' or 'host_build_graph', got {self.runtime!r}")

    @property
    def world_size(self):
        return len(self.device_ids)


def _integer(d):
    try:
        return d.__index__()
    except (AttributeError, TypeError):
        return d


# Fields that change nothing here: a line under -v says so, a wrong value is an error.
_WITHOUT_EFFECT = ("strategy", "backend_type", "aicpu_thread_num", "ring_task_window", "ring_heap", "ring_dep_pool",
                   "memory_planner", "dump_ptoas_passes", "enable_dump_args", "diagnostic_phase", "disabled_diagnostics",
                   "analyze_auto_scopes_for_deps")


@dataclasses.dataclass(init=False)
class RunConfig:
    """How calls of a kernel compile and run. Fields by keyword."""

    platform: str = "a2a3sim"
    device_id: int = 0
    distributed_config: Optional[DistributedConfig] = None
    dump_passes: bool = False
    save_kernels: bool = False
    save_kernels_dir: Optional[str] = None
    codegen_only: bool = False
    compile_profiling: bool = False
    enable_chip_swimlane: int = 0
    enable_scope_stats: bool = False
    enable_pmu: int = 0
    enable_dep_gen: bool = False
    rtol: float = 1e-5
    atol: float = 1e-5
    golden_data_dir: Optional[str] = None
    strategy: Any = OptimizationStrategy.Default
    backend_type: Any = None
    aicpu_thread_num: Optional[int] = None
    ring_task_window: Any = None
    ring_heap: Any = None
    ring_dep_pool: Any = None
    memory_planner: Any = None
    dump_ptoas_passes: bool = False
    enable_dump_args: bool = False
    diagnostic_phase: Any = None
    disabled_diagnostics: Any = None
    analyze_auto_scopes_for_deps: bool = False

    def __init__(self, **fields):
        if "enable_l2_swimlane" in fields:
            warnings.warn("enable_l2_swimlane is called enable_chip_swimlane now", DeprecationWarning, stacklevel=2)
            fields.setdefault("enable_chip_swimlane", fields.pop("enable_l2_swimlane"))
        known = {f.name: f.default for f in dataclasses.fields(self)}
        for name in fields:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                raise TypeError(f"RunConfig has no field {name!r}{f'; did you mean {near[0]!r}?' if near else ''}")
        for name, default in known.items():
            setattr(self, name, fields.get(name, default))
        self._check()
        self.backend_type = known["backend_type"] = backend_of(self.platform)
        for name in _WITHOUT_EFFECT:
            if name in fields and fields[name] != known[name]:
                session.say_verbose(f"note: RunConfig({name}=) has no effect here")

    def _check(self):
        if self.platform not in PLATFORMS:
            simulated(self.platform)
        if not isinstance(self.device_id, int) or isinstance(self.device_id, bool) or self.device_id < 0:
            _fail(f"device_id is a device number from 0 on, got {self.device_id!r}")
        d = self.distributed_config
        if d is not None and not isinstance(d, DistributedConfig):
            raise TypeError(f"distributed_config is a DistributedConfig, got {type(d).__name__}")
        level = self.enable_chip_swimlane
        if not isinstance(level, int) or not 0 <= level <= 4:
            _fail(f"enable_chip_swimlane is a bool or 0 to 4, got {level!r}")
        for name, good, wanted in (("ring_task_window", _power(4), "a power of two from 4 on"),
                                   ("ring_heap", _power(1024), "a power of two from 1024 on"),
                                   ("ring_dep_pool", lambda v: v >= 4, "4 or more")):
            if getattr(self, name) is not None:
                _ring(name, getattr(self, name), good, wanted)

    @property
    def devices(self):
        """The device ids of a run."""
        return list(self.distributed_config.device_ids) if self.distributed_config else [self.device_id]
