"""Arrays as text: base64 of little-endian numbers, with their type and shape."""

from base64 import b64encode

import numpy as np


def packed(array, dtype=np.float32):
    """An array as a page takes it, in the order of C."""
    dtype = np.dtype(dtype).newbyteorder("<")
    whole = np.ascontiguousarray(array, dtype)
    data = b64encode(whole.tobytes()).decode()
    return {"dtype": dtype.name, "shape": list(whole.shape), "data": data}
