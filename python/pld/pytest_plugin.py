"""For pytest: kernels of the Python system in tests run on simulated devices.

    pytest -p pld.pytest_plugin --pld-option=mem=weak --pld-devices=0,1 tests/

The modules that tests import are made in memory. Each --pld-option is an option of python3 -m pld without its two
dashes, and holds for every call of a kernel. Fixtures: `device_ids`, `test_config`, `test_runner`.
"""
import pytest

from .compat import install, session
from .compat.command import Usage, judge, parse


def pytest_addoption(parser):
    group = parser.getgroup("pld")
    group.addoption("--pld-option", action="append", default=[], metavar="NAME[=VALUE]",
                    help="an option of runs: mem=weak, check=none, explore=1000")
    group.addoption("--pld-devices", default="0,1", metavar="IDS", help="device ids of the fixtures (default 0,1)")


def pytest_configure(config):
    try:
        _, rest = parse([f"--{o}" for o in config.getoption("--pld-option")], session.current)
        judge(session.current)
    except Usage as e:
        raise pytest.UsageError(str(e)) from None
    if rest:
        raise pytest.UsageError(f"--pld-option takes options, not {' '.join(rest)}")
    install()


@pytest.fixture(scope="session")
def device_ids(request):
    """The devices of a test, as --pld-devices says."""
    return [int(i) for i in request.config.getoption("--pld-devices").split(",")]


@pytest.fixture
def test_config(device_ids):
    """A RunConfig on those devices."""
    from .compat.config import DistributedConfig, RunConfig
    return RunConfig(distributed_config=DistributedConfig(device_ids=device_ids))


@pytest.fixture
def test_runner(test_config):
    """Runs a program or a kernel with arrays, under test_config; the CompiledProgram."""
    from .compat.runtime import run

    def runner(program, *arrays, config=None):
        return run(program, *arrays, config=config or test_config)
    return runner
