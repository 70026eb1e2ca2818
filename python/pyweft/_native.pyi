from typing import Any

lib: Any
ffi: Any
