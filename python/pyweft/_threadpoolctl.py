"""Registers the library with threadpoolctl, if installed, which then lists and limits its threads."""

from __future__ import annotations

import importlib
from typing import Any

from pyweft import _contexts as contexts


def register(version: str) -> None:
    """Registers a controller with threadpoolctl 3.2 or later. threadpool_limits bounds the calls of all threads."""
    try:
        threadpoolctl: Any = importlib.import_module("threadpoolctl")
    except ImportError:
        return
    if not hasattr(threadpoolctl, "register"):
        return
    members = {
        "user_api": "pyweft",
        "internal_api": "pyweft",
        "filename_prefixes": ("libweft.so",),
        "check_symbols": ("weft_set_threads",),
        "get_num_threads": lambda self: contexts.thread_limit(),
        "set_num_threads": lambda self, threads: contexts.limit_threads(threads),
        "get_version": lambda self: version,
    }
    threadpoolctl.register(type("WeftController", (threadpoolctl.LibController,), members))
