# SPDX-License-Identifier: Apache-2.0
"""A model is counted by the names of tf.contrib.tfprof."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

analyzer = tf.contrib.tfprof.model_analyzer


def test_parameters_and_operations(capfd):
    x = tf.ones([4, 3])
    tf.layers.dense(tf.layers.dense(x, 5), 2)
    tf.get_variable("other", [7], trainable=False)
    graph = tf.get_default_graph()
    found = analyzer.print_model_analysis(
        graph, tfprof_options=analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    )
    assert found.total_parameters == 3 * 5 + 5 + 5 * 2 + 2
    assert "dense" in capfd.readouterr().out
    counted = analyzer.print_model_analysis(graph, tfprof_options=analyzer.FLOAT_OPS_OPTIONS)  # fmt: skip
    assert counted.total_float_ops >= 2 * 4 * (3 * 5 + 5 * 2)
    quiet = analyzer.print_model_analysis(graph, tfprof_options={"output": "none", "account_type_regexes": ["VariableV2"], "select": ["params"]})  # fmt: skip
    assert quiet.total_parameters == 32 + 7
    with pytest.raises(ValueError, match="cmd"):
        analyzer.print_model_analysis(graph, tfprof_cmd="view")
