# SPDX-License-Identifier: Apache-2.0
"""Files that a graph brings along for a plugin of TensorBoard.

A FileWriter that is given the graph writes them to `<logdir>/plugins/<plugin>/`.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping

from tensorwright.python.framework import ops

_COLLECTION = "__tensorboard_plugin_assets"


class PluginAsset(abc.ABC):
    """The base of files that a plugin wants written; a subclass names the plugin in `plugin_name`."""

    plugin_name: str | None = None

    @abc.abstractmethod
    def assets(self) -> Mapping[str, str | bytes]:
        """Names of files -> what is in them, text or bytes."""
        raise NotImplementedError


def get_plugin_asset(
    plugin_asset_cls: type[PluginAsset], graph: ops.Graph | None = None
) -> PluginAsset:
    """The graph's asset of that class, made if there is none.

    Raises ValueError for a class without plugin_name, or with one that an asset of
    another class has.
    """
    graph = graph or ops.get_default_graph()
    name = plugin_asset_cls.plugin_name
    if not name:
        raise ValueError(f"Class {plugin_asset_cls.__name__} has no plugin_name")
    for asset in get_all_plugin_assets(graph):
        if asset.plugin_name == name:
            if not isinstance(asset, plugin_asset_cls):
                raise ValueError(
                    f"Plugin name {name!r} belongs to a {type(asset).__name__}, not to "
                    f"a {plugin_asset_cls.__name__}"
                )
            return asset
    asset = plugin_asset_cls()
    graph.add_to_collection(_COLLECTION, asset)
    return asset


def get_all_plugin_assets(graph: ops.Graph | None = None) -> list[PluginAsset]:
    """The assets of the graph, in the order in which they were made."""
    graph = graph or ops.get_default_graph()
    return list(graph.get_collection(_COLLECTION))
