# SPDX-License-Identifier: Apache-2.0
"""Builds the options that say which operations a profile shows and counts."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

__all__ = ["ProfileOptionBuilder"]

_DEFAULTS: dict[str, Any] = {
    "max_depth": 10000,
    "min_bytes": 0,
    "min_peak_bytes": 0,
    "min_residual_bytes": 0,
    "min_output_bytes": 0,
    "min_micros": 0,
    "min_accelerator_micros": 0,
    "min_cpu_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}


class ProfileOptionBuilder:
    """Makes the options of `tf.profiler.profile`: a dict; every method gives the builder.

    Args:
        options: what to begin with; None: everything is shown and counted, and printed.

    Example:
        options = tf.profiler.ProfileOptionBuilder.trainable_variables_parameter()
        print(tf.profiler.profile(graph, options=options).total_parameters)
    """

    def __init__(self, options: dict[str, Any] | None = None):
        self._options = copy.deepcopy(_DEFAULTS if options is None else options)

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """Options that count the parameters of trained variables."""
        builder = ProfileOptionBuilder()
        builder.with_accounted_types(["_trainable_variables"])
        return builder.order_by("name").select(["params"]).build()

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """Options that count floating-point operations."""
        builder = ProfileOptionBuilder().with_min_float_operations(1)
        return builder.order_by("float_ops").select(["float_ops"]).build()

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """Options that show time and memory; they need the RunMetadata of a traced run."""
        builder = ProfileOptionBuilder()
        builder.with_min_execution_time(
            min_micros, min_accelerator_micros, min_cpu_micros
        )
        builder.with_min_memory(
            min_bytes, min_peak_bytes, min_residual_bytes, min_output_bytes
        )
        return builder.order_by("micros").select(["micros", "bytes"]).build()

    def build(self) -> dict[str, Any]:
        """A copy of the options."""
        return copy.deepcopy(self._options)

    def _with(self, **options: Any) -> ProfileOptionBuilder:
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Hides nodes that are deeper."""
        return self._with(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:
        """Shows only nodes that need so much memory."""
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self,
        min_micros: int = 0,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
    ) -> ProfileOptionBuilder:
        """Shows only nodes that take so long."""
        return self._with(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Shows only nodes that have so many parameters."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Shows only operations, by type or line, that occur so often."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Shows only nodes that compute so many operations."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(
        self, account_type_regexes: Sequence[str]
    ) -> ProfileOptionBuilder:
        """Only operations whose type, device or kind matches one of the expressions count."""
        return self._with(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Chooses operations by regular expressions that match a part of the name.

        Args:
            start_name_regexes: operations at the top of the profile.
            show_name_regexes: operations to show.
            hide_name_regexes: operations to hide; operations below them may be shown.
            trim_name_regexes: operations to hide with all below them.
        """
        for name, given in (
            ("start_name_regexes", start_name_regexes),
            ("show_name_regexes", show_name_regexes),
            ("hide_name_regexes", hide_name_regexes),
            ("trim_name_regexes", trim_name_regexes),
        ):
            if given is not None:
                self._options[name] = list(given)
        return self

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Says whether totals count only the operations that are shown."""
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Prints nothing."""
        return self._with(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints the profile."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes the profile to a file."""
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """The times of a traced run are written to a file for chrome://tracing."""
        return self._with(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> ProfileOptionBuilder:
        """The profile by lines of code is written to a file for the pprof tool."""
        return self._with(output=f"pprof:outfile={pprof_file}")

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """The step of a Profiler whose times are shown; -1: their mean."""
        return self._with(step=step)

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Sets the order: by "name", or by the most "micros", "bytes", "params", "float_ops" or "occurrence"."""
        return self._with(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """Chooses the columns: "micros", "bytes", "params", "float_ops", "occurrence", "device", "op_types"."""
        return self._with(select=list(attributes))
