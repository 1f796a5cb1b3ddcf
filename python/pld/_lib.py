"""The library over ctypes: its structures, its functions, and where it is found."""
import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

VERSION = (0, 1)  # major, minor of the interface this package was written for

STATUS = {"ok": 0, "golden": 1, "usage": 2, "deadlock": 3, "check": 4, "fault": 5, "steps": 6, "incomplete": 7, "errors": 8,
          "cancelled": 9, "internal": 70, "no_memory": 71}
DTYPES = ("FP32", "FP16", "BF16", "INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "BOOL", "INDEX")
BY_NAME, STRICT, SCRIPT = 0, 1, 2
NO_DEF = 0xffffffff
IN, OUT, INOUT = 0, 1, 2


class Sized(ctypes.Structure):
    """A structure that begins with its size."""

    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.size = ctypes.sizeof(self)


class Diag(Sized):
    _fields_ = [("size", c_size_t), ("severity", c_int), ("code", c_char_p), ("file", c_char_p), ("line", c_uint32),
                ("col", c_uint32), ("end_line", c_uint32), ("end_col", c_uint32), ("message", c_char_p), ("parent", c_int64)]


class Param(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("kind", c_int), ("dtype", c_int), ("dir", c_int), ("rank", c_uint32),
                ("dims", c_int64 * 8), ("dims_text", c_char_p)]


class Tensor(Sized):
    _fields_ = [("size", c_size_t), ("dtype", c_int), ("rank", c_uint32), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("data", c_void_p)]


class ReportStruct(Sized):
    _fields_ = [("size", c_size_t), ("kind", c_char_p), ("check", c_char_p), ("rank", c_int64), ("file", c_char_p),
                ("line", c_uint32), ("col", c_uint32), ("text", c_char_p), ("status", c_int)]


class Value(Sized):
    """A value for a name or an argument; made by the functions below, which keep alive what it points to."""


(V_NONE, V_INT, V_FLOAT, V_BOOL, V_TEXT, V_DTYPE, V_ENUM, V_EXTENT, V_LIST, V_TUPLE, V_DEF, V_OP, V_TYPE,
 V_OPAQUE, V_DICT) = range(15)
Value._fields_ = [("size", c_size_t), ("tag", c_int), ("dtype", c_int), ("dir", c_int), ("integer", c_int64),
                  ("real", c_double), ("text", c_char_p), ("items", POINTER(Value)), ("n", c_size_t)]


def value(tag, integer=0, real=0.0, text=None, items=None, dtype=0, dir=IN):
    """A Value; `text` is a str, `items` a list of Values."""
    v = Value(tag=tag, integer=integer, real=real, text=None if text is None else text.encode(), dtype=dtype, dir=dir)
    if items:
        v.items, v.n = (Value * len(items))(*items), len(items)
        v._keep = list(items)  # what a copy in the array points to
    return v


def plain(x):
    """The Value of None, a bool, int, float, str, or a tuple or list of such; None when it is none of these."""
    if x is None:
        return value(V_NONE)
    if isinstance(x, bool):
        return value(V_BOOL, int(x))
    if isinstance(x, int):
        return value(V_INT, x) if -(1 << 63) <= x < 1 << 63 else None
    if isinstance(x, float):
        return value(V_FLOAT, real=x)
    if isinstance(x, str):
        return value(V_TEXT, text=x)
    if isinstance(x, (tuple, list)):
        items = [plain(i) for i in x]
        if all(i is not None for i in items):
            return value(V_LIST if isinstance(x, list) else V_TUPLE, items=items)
    return None


def tensor_type(dtype, dims, kind="pl.Tensor", dir=IN):
    """The Value of a type: dims are numbers, -1 for a dynamic extent without a name, or names of extents."""
    return value(V_TYPE, text=kind, dtype=DTYPES.index(dtype), dir=dir,
                 items=[value(V_EXTENT, text=d) if isinstance(d, str) else value(V_INT, int(d)) for d in dims])


Progress = CFUNCTYPE(c_int, c_void_p, c_uint64, c_int64)
Callback = CFUNCTYPE(c_int, c_void_p, POINTER(Tensor), c_size_t)

_P = c_void_p
_CALLS = {
    "pld_version": (c_uint32,), "pld_word": (c_char_p, c_size_t),
    "pld_unit_new": (_P,), "pld_unit_free": (None, _P),
    "pld_unit_set": (c_int, _P, c_char_p, c_char_p),
    "pld_unit_file": (c_int, _P, c_char_p, c_int),
    "pld_unit_text": (c_int, _P, c_char_p, c_char_p, c_size_t, c_int, POINTER(c_uint32)),
    "pld_unit_take": (c_int, _P, c_uint32, c_uint32, POINTER(c_uint32)),
    "pld_unit_names": (POINTER(c_char_p), _P, c_uint32, POINTER(c_size_t)),
    "pld_unit_paths": (POINTER(c_char_p), _P, c_uint32, POINTER(c_size_t)),
    "pld_unit_bind": (c_int, _P, c_uint32, c_char_p, POINTER(Value)),
    "pld_unit_argument": (c_int, _P, c_char_p, POINTER(Value)),
    "pld_unit_keep": (c_int, _P, c_char_p),
    "pld_unit_compile": (c_int, _P, c_uint32, POINTER(_P)),
    "pld_unit_dump": (_P, _P, c_char_p, POINTER(c_size_t)),
    "pld_unit_diag_count": (c_size_t, _P), "pld_unit_diag": (c_int, _P, c_size_t, POINTER(Diag)),
    "pld_unit_diags_text": (c_char_p, _P, c_int), "pld_unit_why": (c_char_p, _P),
    "pld_program_decode": (c_int, c_char_p, c_size_t, POINTER(_P), c_char_p, c_size_t),
    "pld_program_encode": (_P, _P, POINTER(c_size_t)),
    "pld_program_free": (None, _P), "pld_program_hash": (c_uint64, _P), "pld_token_hash": (c_uint64, c_char_p),
    "pld_program_disassemble": (c_char_p, _P), "pld_program_json": (c_char_p, _P),
    "pld_program_param_count": (c_size_t, _P), "pld_program_param": (c_int, _P, c_size_t, POINTER(Param)),
    "pld_run_new": (_P, _P), "pld_run_free": (None, _P),
    "pld_run_set": (c_int, _P, c_char_p, c_char_p),
    "pld_run_tensor": (c_int, _P, c_char_p, POINTER(Tensor)),
    "pld_run_golden": (c_int, _P, c_char_p, POINTER(Tensor)),
    "pld_run_scalar": (c_int, _P, c_char_p, POINTER(Value)),
    "pld_run_progress": (c_int, _P, Progress, _P),
    "pld_run_callback": (c_int, _P, c_char_p, Callback, _P),
    "pld_run_start": (c_int, _P), "pld_run_cancel": (None, _P),
    "pld_run_report_count": (c_size_t, _P), "pld_run_report": (c_int, _P, c_size_t, POINTER(ReportStruct)),
    "pld_run_text": (c_char_p, _P), "pld_run_token": (c_char_p, _P),
    "pld_run_output": (_P, _P, c_char_p, POINTER(c_size_t)),
    "pld_run_steps": (c_uint64, _P), "pld_run_time_ps": (c_int64, _P), "pld_run_checked_count": (c_size_t, _P),
    "pld_run_unchecked": (POINTER(c_char_p), _P, POINTER(c_size_t)),
    "pld_run_why": (c_char_p, _P), "pld_run_again": (c_int, _P, c_int),
    "pld_explore": (c_int, _P), "pld_explain": (c_int, _P), "pld_explore_json": (c_char_p, _P),
    "pld_ops_json": (c_char_p,), "pld_platforms_json": (c_char_p,), "pld_passes_json": (c_char_p,),
    "pld_unit_skeleton": (c_int, _P, POINTER(c_char_p)),
}


def _places():
    here = os.path.dirname(os.path.abspath(__file__))
    given = os.environ.get("PLD_LIBRARY")
    if given:
        yield given
        return
    yield os.path.join(here, "libpld.so.0")
    root = os.path.dirname(os.path.dirname(here))
    yield os.path.join(root, "build", "libpld.so.0")
    # share/pld/python/pld of an installation: its lib/ stands three folders up
    yield os.path.join(os.path.dirname(os.path.dirname(root)), "lib", "libpld.so.0")
    yield "libpld.so.0"


def _load():
    tried = []
    for path in _places():
        if os.path.sep in path and not os.path.exists(path):
            tried.append(path)
            continue
        try:
            lib = ctypes.CDLL(path)
        except OSError as e:
            tried.append(f"{path} ({e})")
            continue
        for name, (result, *args) in _CALLS.items():
            f = getattr(lib, name)
            f.restype, f.argtypes = result, args
        version = lib.pld_version()
        if version >> 16 != VERSION[0]:
            raise ImportError(f"{path} is version {version >> 16}.{version >> 8 & 255}.{version & 255}; this package "
                              f"is for {VERSION[0]}.{VERSION[1]}")
        return lib
    raise ImportError("libpld.so.0 was not found; tried " + ", ".join(tried) + "; PLD_LIBRARY names it")


lib = _load()


def version():
    v = lib.pld_version()
    return f"{v >> 16}.{v >> 8 & 255}.{v & 255}"


def text(p):
    """The text of a char pointer; None for NULL."""
    return None if p is None else p.decode("utf-8", "replace")


def memory(call, *args):
    """Bytes of a call that returns an address and a length; None for NULL."""
    n = c_size_t()
    p = call(*args, byref(n))
    return None if not p else ctypes.string_at(p, n.value)
