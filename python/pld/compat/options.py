"""What a compilation depends on besides text and arguments."""
from . import config as _config


class Options:
    __slots__ = ("platform", "devices", "keep")

    def __init__(self, platform, devices, keep):
        self.platform, self.devices, self.keep = platform, devices, keep

    @classmethod
    def of(cls, config, keep=False):
        if config is None:
            return cls("a2a3sim", [0], keep)
        keep = keep or config.dump_passes
        return cls(_config.simulated(config.platform), config.devices, keep)

    @property
    def key(self):
        """One compilation serves -d 0,1 and -d 7,3."""
        return (self.platform, len(self.devices), self.keep)
