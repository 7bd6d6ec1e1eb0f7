# SPDX-License-Identifier: Apache-2.0
"""MNIST: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.examples.tutorials.mnist.input_data import (
    DEFAULT_SOURCE_URL as DEFAULT_SOURCE_URL,
    SOURCE_URL as SOURCE_URL,
    DataSet as DataSet,
    Datasets as Datasets,
    dense_to_one_hot as dense_to_one_hot,
    extract_images as extract_images,
    extract_labels as extract_labels,
    load_mnist as load_mnist,
    read_data_sets as read_data_sets,
)
