# SPDX-License-Identifier: Apache-2.0
"""SaveOptions: how tf.saved_model.save writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class SaveOptions:
    """Options of `tf.saved_model.save`.

    Attributes:
      namespace_whitelist: namespaces, the `X` of ops called `X>Name`, that the graph may use.
      extra_tags: tags of the graph beside "serve".
      experimental_io_device: the device of the ops that write files.
      experimental_skip_saver: write no variables, nor what restores them.
      experimental_custom_gradients, experimental_debug_stripper: change nothing.
      save_debug_info, function_aliases, experimental_variable_policy, experimental_image_format,
        experimental_sharding_callback: ask for files that are not written; `save` refuses them with ValueError.
    """

    __slots__ = (
        "namespace_whitelist",
        "save_debug_info",
        "function_aliases",
        "experimental_debug_stripper",
        "experimental_io_device",
        "experimental_variable_policy",
        "experimental_custom_gradients",
        "experimental_image_format",
        "experimental_skip_saver",
        "experimental_sharding_callback",
        "extra_tags",
    )

    def __init__(
        self,
        namespace_whitelist: Iterable[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: Mapping[str, object] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: object = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: object = None,
        extra_tags: Iterable[str] | None = None,
    ):
        self.namespace_whitelist = _namespaces(namespace_whitelist)
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


def _namespaces(names: Iterable[str] | None) -> list[str]:
    if names is None:
        return []
    if isinstance(names, (str, bytes)):
        raise TypeError(f"namespace_whitelist must be a list of names, not {names!r}")
    found = list(names)
    for name in found:
        if not isinstance(name, str):
            raise ValueError(
                f"Namespace whitelist must contain strings. Got: {name!r} of type "
                f"{type(name).__name__}."
            )
    return found
