# SPDX-License-Identifier: Apache-2.0
"""Tags by which a graph of a SavedModel is found."""

GPU = "gpu"
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"
