"""RunConfig and DistributedConfig: what is taken, what has no effect, what is refused."""
# options: -v
# says: note: RunConfig\(ring_heap=\) has no effect here
# says: ^14 refused as they should$
import dataclasses

from pypto import ir
from pypto.backend import BackendType
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.ir.pass_manager import OptimizationStrategy, PassDumpLevel
from pypto.runtime import RunConfig
from pypto.runtime.runner import RunConfig as Again

REFUSED = [
    (RunConfig, dict(platfrom="a2a3sim"), TypeError, "did you mean 'platform'"),
    (RunConfig, dict(platform="a9"), ValueError, "unknown platform 'a9'"),
    (RunConfig, dict(ring_task_window=6), ValueError, "power of two"),
    (RunConfig, dict(ring_heap=512), ValueError, "from 1024 on"),
    (RunConfig, dict(ring_dep_pool=[4, 8, 0]), ValueError, "list of 4"),
    (RunConfig, dict(enable_chip_swimlane=7), ValueError, "0 to 4"),
    (RunConfig, dict(device_id=-1), ValueError, "device number"),
    (RunConfig, dict(distributed_config=[0, 1]), TypeError, "DistributedConfig"),
    (DistributedConfig, dict(device_ids=[]), ValueError, "empty"),
    (DistributedConfig, dict(device_ids=[0, 0]), ValueError, "twice"),
    (DistributedConfig, dict(device_ids=[-1]), ValueError, "from 0 on"),
    (DistributedConfig, dict(num_sub_workers=-1), ValueError, "0 or more"),
    (DistributedConfig, dict(aicpu_thread_num=1), ValueError, "at least 2"),
    (DistributedConfig, dict(runtime="other"), ValueError, "runtime"),
]
for kind, fields, error, text in REFUSED:
    try:
        kind(**fields)
    except error as e:
        assert text in str(e), (fields, str(e))
    else:
        raise AssertionError(f"{fields} was taken")
print(len(REFUSED), "refused as they should")

c = RunConfig(platform="a5sim", device_id=3, rtol=1e-3, ring_heap=4096, ring_dep_pool=[4, 0, 0, 8], strategy=OptimizationStrategy.Default,
              backend_type=BackendType.Ascend950, dump_passes=PassDumpLevel.CONCISE)
assert c == dataclasses.replace(c) and c != RunConfig() and Again is RunConfig and dataclasses.replace(c, atol=1.0).rtol == 1e-3
assert [RunConfig(platform=p).backend_type.name for p in ("a2a3sim", "a5sim")] == ["Ascend910B", "Ascend950"]
assert dataclasses.replace(c, platform="a2a3sim").backend_type is RunConfig().backend_type  # it follows the platform
assert "platform='a5sim'" in repr(c) and c.rtol == 1e-3
assert DistributedConfig() == DistributedConfig(device_ids=[0]) and ir.DistributedConfig is DistributedConfig
