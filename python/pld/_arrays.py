"""Arrays of the caller as the library takes them: address, shape, strides in bytes, dtype. No copy.

Looked at in this order: numpy.ndarray, anything with __array_interface__, torch tensors (by the name of their type:
torch is never imported), anything with __dlpack__.
"""
import ctypes
import sys

import numpy as np

# dtype of the library -> what NumPy calls it, and what else holds it
NUMPY = {"FP32": "float32", "FP16": "float16", "BF16": "bfloat16", "INT8": "int8", "UINT8": "uint8", "INT16": "int16",
         "UINT16": "uint16", "INT32": "int32", "UINT32": "uint32", "INT64": "int64", "BOOL": "bool", "INDEX": "int64"}
ALSO = {"BF16": ("uint16",)}
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4,
         "uint32": 4, "int64": 8, "bool": 1}
OF_NUMPY = {"float32": "FP32", "float16": "FP16", "bfloat16": "BF16", "int8": "INT8", "uint8": "UINT8", "int16": "INT16",
            "uint16": "UINT16", "int32": "INT32", "uint32": "UINT32", "int64": "INT64", "bool": "BOOL"}


class Array:
    """A view of somebody's memory."""

    __slots__ = ("obj", "keep", "address", "shape", "strides", "dtype", "writable", "native", "flavour")

    def __init__(self, obj, address, shape, strides, dtype, writable=True, native=True, flavour="numpy", keep=None):
        self.obj, self.keep, self.address, self.dtype = obj, keep, address, dtype
        self.shape, self.strides = tuple(shape), tuple(strides)
        self.writable, self.native, self.flavour = writable, native, flavour

    def layout(self):
        """What the library is told of it, and what is checked."""
        return self.address, self.shape, self.strides, self.dtype, self.writable, self.native

    def span(self):
        """First and one past the last address that the elements take; (0, 0) when there are none."""
        if 0 in self.shape:
            return 0, 0
        low = high = self.address
        for n, s in zip(self.shape, self.strides):
            step = (n - 1) * s
            low, high = low + min(step, 0), high + max(step, 0)
        return low, high + BYTES.get(self.dtype, 1)


_NAMES = {np.dtype(name): name for name in OF_NUMPY if name != "bfloat16"}  # dtype.name is slow


def dtype_name(dtype):
    """What NumPy calls a dtype, whatever names it."""
    dtype = np.dtype(dtype)
    return _NAMES.get(dtype) or dtype.name


def _numpy(obj, a=None):
    a = obj if a is None else a
    dtype = a.dtype
    name = _NAMES.get(dtype)
    address, read_only = a.__array_interface__["data"]
    if name:
        return Array(obj, address, a.shape, a.strides, name, not read_only, keep=a)
    return Array(obj, address, a.shape, a.strides, dtype.name, not read_only, dtype.isnative, keep=a)


def is_torch(obj):
    kind = type(obj)
    return any(k.__module__ == "torch" and k.__name__ == "Tensor" for k in kind.__mro__)


def _torch(obj, name):
    if obj.device.type != "cpu":
        raise TypeError(f"{name}: a tensor on {obj.device}, it must be on the CPU: pass {name}.cpu()")
    size = obj.element_size()
    dtype = str(obj.dtype).replace("torch.", "")
    return Array(obj, obj.data_ptr(), obj.shape, [s * size for s in obj.stride()], dtype, flavour="torch", keep=obj)


class _DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _DLDevice), ("ndim", ctypes.c_int), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_DL_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}


def _dlpack(obj, name):
    device = getattr(obj, "__dlpack_device__", lambda: (1, 0))()
    if int(device[0]) not in (1, 3):  # kDLCPU, kDLCUDAHost
        raise TypeError(f"{name}: an array on device {device[0]}, it must be on the CPU")
    capsule = obj.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    t = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    kind = _DL_CODES.get(t.code, "?")
    dtype = kind if kind == "bool" else f"{kind}{t.bits}"
    shape = [t.shape[i] for i in range(t.ndim)]
    size = max(t.bits // 8, 1)
    if t.strides:
        strides = [t.strides[i] * size for i in range(t.ndim)]
    else:
        strides, step = [0] * t.ndim, size
        for i in reversed(range(t.ndim)):
            strides[i] = step
            step *= shape[i]
    return Array(obj, (t.data or 0) + t.byte_offset, shape, strides, dtype, flavour="numpy", keep=capsule)


def describe(obj, name):
    """The Array of an object; TypeError, naming the parameter, when it is none."""
    if isinstance(obj, np.ndarray):
        return _numpy(obj)
    if getattr(type(obj), "__array_interface__", None) is not None or hasattr(obj, "__array_interface__"):
        return _numpy(obj, np.asarray(obj))
    if is_torch(obj):
        return _torch(obj, name)
    if hasattr(obj, "__dlpack__"):
        return _dlpack(obj, name)
    raise TypeError(f"{name}: {type(obj).__name__} is no array; wanted NumPy's, torch's, or one with "
                    f"__array_interface__ or __dlpack__")


def view(obj, name):
    """NumPy's view of the memory of any array; BF16 as its bits."""
    a = describe(obj, name)
    dtype = np.dtype("uint16" if a.dtype == "bfloat16" else a.dtype)
    low, high = a.span()
    if low == high:
        return np.empty(a.shape, dtype)
    bytes_ = (ctypes.c_char * (high - low)).from_address(low)
    made = np.ndarray(a.shape, dtype, bytes_, a.address - low, a.strides)
    bytes_.owner = a  # the memory lives as long as the view
    return made


def of_memory(address, shape, dtype, writable, flavour):
    """An array on memory of the library, in a flavour; dtype is the library's."""
    torch = sys.modules.get("torch") if flavour == "torch" else None
    numpy_dtype = np.dtype("uint16" if dtype == "BF16" else NUMPY[dtype])
    size = numpy_dtype.itemsize
    for n in shape:
        size *= n
    made = np.empty(shape, numpy_dtype)
    if size:
        made = np.frombuffer((ctypes.c_char * size).from_address(address), numpy_dtype).reshape(shape)
    if torch is not None:
        signed = made.view("int16") if dtype == "BF16" else made
        tensor = torch.from_numpy(signed)
        return tensor.view(torch.bfloat16) if dtype == "BF16" else tensor
    ml = sys.modules.get("ml_dtypes")
    if dtype == "BF16" and ml is not None:
        made = made.view(ml.bfloat16)
    made.flags.writeable = writable
    return made


def copy(to, source, name):
    """Copies elements into an array, from one of any flavour, or a number."""
    if not is_array(source):
        to[...] = source
        return
    a, b = describe(to, name), describe(source, name)
    if a.dtype != b.dtype and {a.dtype, b.dtype} != {"bfloat16", "uint16"}:
        raise TypeError(f"{name} is {a.dtype}: got {b.dtype}")
    if a.shape != b.shape:
        raise ValueError(f"{name} is {_shape(a.shape)}: got {_shape(b.shape)}")
    view(to, name)[...] = view(source, name)


def is_array(obj):
    return isinstance(obj, np.ndarray) or is_torch(obj) or hasattr(obj, "__array_interface__") or hasattr(obj, "__dlpack__")


def _shape(shape):
    return "[" + ", ".join("?" if n < 0 else str(n) for n in shape) + "]"


def fit(array, param):
    """Checks an array against a parameter of a program. ValueError or TypeError names both sides. Returns the
    array, or for an input in foreign byte order a copy."""
    name, wanted = param.name, NUMPY[param.dtype]
    if array.dtype != wanted and array.dtype not in ALSO.get(param.dtype, ()):
        raise TypeError(f"{name} is {param.dtype}: wanted {wanted}, got {array.dtype}")
    if len(array.shape) != len(param.shape):
        raise ValueError(f"{name} has rank {len(param.shape)}, {_shape(param.shape)}: got rank {len(array.shape)}, "
                         f"{_shape(array.shape)}")
    if any(w >= 0 and g != w for g, w in zip(array.shape, param.shape)):
        raise ValueError(f"{name} is {_shape(param.shape)}: got {_shape(array.shape)}")
    if param.dir != "in" and not array.writable:
        raise ValueError(f"{name} is an output, and its array is read-only")
    if not array.native:
        if param.dir != "in":
            raise TypeError(f"{name} is an output, and its array is not in this machine's byte order")
        return _numpy(array.obj, np.ascontiguousarray(array.keep).astype(array.keep.dtype.newbyteorder("=")))
    return array


def check_overlap(arrays, params):
    """An output that shares memory with another argument is a ValueError; equal inputs are fine."""
    spans = [(a.span(), p) for a, p in zip(arrays, params) if a is not None]
    for i, ((low, high), p) in enumerate(spans):
        for (other_low, other_high), q in spans[i + 1:]:
            if low < other_high and other_low < high and (p.dir != "in" or q.dir != "in"):
                out, other = (p, q) if p.dir != "in" else (q, p)
                raise ValueError(f"{out.name} is an output and shares memory with {other.name}")


def empty(shape, dtype, like):
    """A zeroed array of a dtype of the library, in the flavour of `like` (an Array or None)."""
    torch = sys.modules.get("torch")
    if like is not None and like.flavour == "torch" and torch is not None:
        return torch.zeros(tuple(shape), dtype=getattr(torch, NUMPY[dtype]))
    if dtype == "BF16":
        ml = sys.modules.get("ml_dtypes")
        plain = like is not None and like.dtype == "uint16"
        return np.zeros(shape, ml.bfloat16 if ml is not None and not plain else np.uint16)
    return np.zeros(shape, NUMPY[dtype])
