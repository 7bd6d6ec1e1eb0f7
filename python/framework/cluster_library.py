# SPDX-License-Identifier: Apache-2.0
"""libtensorwright_distributed.so: servers of clusters and sessions on them.

It is a library of its own, loaded when a program asks for a server or for a session on one.  So is that of collectives,
which is found at the same places.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import threading
from typing import TYPE_CHECKING

from tensorwright.python import _pywrap
from tensorwright.python.framework import errors
from tensorwright.python.util.lazy_loader import LazyLoader

if TYPE_CHECKING:
    import pathlib
else:
    # Few programs start clusters: pathlib, with the modules it imports, would slow down every import of the package.
    pathlib = LazyLoader("pathlib", globals(), "pathlib")

_FILE = "libtensorwright_distributed.so"
# Targets of its sessions begin with this.
SCHEME = "grpc://"

_lock = threading.Lock()
_loaded: ctypes.CDLL | None = None


def places_of(file: str, variable: str, folder: str = "") -> list[pathlib.Path]:
    """Returns the places where a library of clusters may be, the nearest first.

    Args:
        file: the name of the library's file.
        variable: an environment variable that may name the file.
        folder: the folder of its build, under core/distributed_runtime.
    """
    places = []
    named = os.environ.get(variable)
    if named:
        places.append(pathlib.Path(named))
    # Then the folder of the separately installed wheel.
    spec = importlib.util.find_spec("tensorwright_cluster")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        places.append(pathlib.Path(place) / file)
    # Beside the first library: in a build's folder, where links lead from runfiles.
    package = pathlib.Path(_pywrap.__file__).parents[1]
    for root in (package, (package / "libtensorwright.so").resolve().parent):
        places.append(root / "core" / "distributed_runtime" / folder / file)
        places.append(root / file)
    return places


def load() -> None:
    """Loads the library, unless it is.

    Raises:
        NotFoundError: if it is not there, with the places that were looked at.
    """
    global _loaded
    with _lock:
        if _loaded is not None:
            return
        places = places_of(_FILE, "TENSORWRIGHT_CLUSTER_LIBRARY")
        for place in places:
            if place.exists():
                # The library stays loaded, as every library of ops does.
                _loaded = ctypes.CDLL(str(place))
                return
    raise errors.NotFoundError(
        None,
        None,
        f"Sessions and servers of {SCHEME} need {_FILE}, which is not part of this "
        "installation: install tensorwright-cluster, or build "
        "//core/distributed_runtime:libtensorwright_distributed.so. Looked at: "
        + ", ".join(map(str, places)),
    )


def load_for(target: str) -> None:
    """Loads it if sessions on `target` need it."""
    if target.startswith(SCHEME):
        load()
