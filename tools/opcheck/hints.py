# SPDX-License-Identifier: Apache-2.0
"""`draw`, with the tables of hints loaded: what drivers import."""

from __future__ import annotations

from tensorwright.tools.opcheck import (
    hints_array,
    hints_array_matrices,
    hints_array_slices,
    hints_audio,
    hints_checkpoint,
    hints_ctc,
    hints_data_flow,
    hints_dataset,
    hints_debug,
    hints_image,
    hints_image_files,
    hints_io,
    hints_linalg,
    hints_logging,
    hints_math,
    hints_nn,
    hints_nn_quantized,
    hints_nn_windows,
    hints_parsing,
    hints_quantize,
    hints_rnn,
    hints_sampling,
    hints_sdca,
    hints_sparse,
    hints_spectral,
    hints_staging,
    hints_state,
    hints_string,
    hints_training,
    hints_word2vec,
)
from tensorwright.tools.opcheck.draws import draw

__all__ = ["TABLES", "draw"]

# A family's table registers its hints as it is imported.
TABLES = (
    hints_array,
    hints_array_matrices,
    hints_array_slices,
    hints_audio,
    hints_ctc,
    hints_checkpoint,
    hints_data_flow,
    hints_dataset,
    hints_debug,
    hints_image,
    hints_image_files,
    hints_io,
    hints_linalg,
    hints_logging,
    hints_math,
    hints_nn,
    hints_nn_quantized,
    hints_nn_windows,
    hints_parsing,
    hints_quantize,
    hints_sampling,
    hints_rnn,
    hints_sdca,
    hints_sparse,
    hints_spectral,
    hints_staging,
    hints_state,
    hints_string,
    hints_training,
    hints_word2vec,
)
