# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.saved_model`: signatures and tags of SavedModels, and models of Keras as such.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.saved_model.python.saved_model.keras_saved_model import (
    load_keras_model,
    save_keras_model,
)
from tensorwright.contrib.saved_model.python.saved_model.reader import (
    get_saved_model_tag_sets,
    read_saved_model,
)
from tensorwright.contrib.saved_model.python.saved_model.signature_def_utils import (
    get_signature_def_by_key,
)
