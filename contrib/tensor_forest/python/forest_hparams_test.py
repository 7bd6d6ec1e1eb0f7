# SPDX-License-Identifier: Apache-2.0
"""The parameters of a forest, filled in and as a message."""

import pytest

from tensorwright.contrib.tensor_forest.proto import tensor_forest_params_pb2
from tensorwright.contrib.tensor_forest.python import tensor_forest


def hparams(**others):
    given = {"num_classes": 3, "num_features": 5, "split_after_samples": 50, **others}
    return tensor_forest.ForestHParams(**given).fill()


def test_the_parameters_are_filled_in():
    params = tensor_forest.ForestHParams(num_classes=10, num_features=784).fill()
    assert (params.num_trees, params.max_nodes) == (100, 10000)
    assert params.num_splits_to_consider == 28
    assert (params.num_outputs, params.num_output_columns) == (1, 11)
    assert (params.regression, params.base_random_seed) == (False, 0)
    assert params.bagged_features is None
    assert params.values()["split_after_samples"] == 250
    few = tensor_forest.ForestHParams(num_classes=2, num_features=9, regression=True)
    assert few.fill().num_splits_to_consider == 10
    assert few.num_outputs == 2


def test_the_message_has_the_parameters(tmp_path):
    file = tmp_path / "params"
    file.write_text("max_nodes: 77 split_after_samples { linear { slope: 2 } }")
    params = hparams(
        split_pruning_name="half",
        split_finish_name="bootstrap",
        split_name="less",
        num_splits_to_consider="threshold {on_value: 9 off_value: 3 threshold: 2}",
        param_file=str(file),
    )
    proto = tensor_forest.build_params_proto(params)
    assert proto.num_outputs == 3
    assert proto.max_nodes == 77
    assert proto.split_after_samples.linear.slope == 2
    assert proto.num_splits_to_consider.threshold.on_value == 9
    assert proto.pruning_type.type == tensor_forest_params_pb2.SPLIT_PRUNE_HALF
    assert proto.pruning_type.prune_every_samples.constant_value == 25
    bootstrap = tensor_forest_params_pb2.SPLIT_FINISH_DOMINATE_BOOTSTRAP
    assert proto.finish_type.type == bootstrap
    assert proto.finish_type.check_every_steps.constant_value == 25
    assert proto.inequality_test_type == 1


@pytest.mark.parametrize(
    "given, words",
    [
        ({"split_finish_name": "chebyshev"}, "split_finish_name must be one of"),
        ({"split_pruning_name": "all"}, "split_pruning_name must be one of"),
        ({"split_name": "more"}, "split_name must be one of"),
        ({"model_name": "wide"}, "model_name must be one of"),
        ({"num_trees": 0}, "num_trees must be positive, got 0"),
        ({"bagging_fraction": 1.5}, "bagging_fraction must be in"),
        ({"feature_bagging_fraction": 0.1}, "feature_bagging_fraction 0.1 leaves none"),
        ({"dominate_fraction": 1.0}, "dominate_fraction must be in"),
        (
            {"regression": True, "split_pruning_name": "hoeffding"},
            "split_pruning_name must not be 'hoeffding'",
        ),
        (
            {"split_pruning_name": "half", "split_after_samples": "linear {slope: 1}"},
            "prune_every_samples must be given",
        ),
    ],
)
def test_parameters_out_of_range_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        hparams(**given)


def test_classes_and_features_must_be_given():
    with pytest.raises(AttributeError, match="num_classes must be given"):
        tensor_forest.ForestHParams(num_features=3).fill()
    with pytest.raises(AttributeError, match="num_features must be given"):
        tensor_forest.ForestHParams(num_classes=3).fill()
