# SPDX-License-Identifier: Apache-2.0
"""tf.nn: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops import rnn_cell as rnn_cell
from tensorwright.python.ops._nn.nn_impl_average import (
    compute_average_loss as compute_average_loss,
    scale_regularization_loss as scale_regularization_loss,
)
from tensorwright.python.ops._nn.nn_impl_sampled import (
    nce_loss as nce_loss,
    sampled_softmax_loss as sampled_softmax_loss,
)
from tensorwright.python.ops.array_ops import (
    depth_to_space as depth_to_space,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
)
from tensorwright.python.ops.candidate_sampling_ops import (
    all_candidate_sampler as all_candidate_sampler,
    compute_accidental_hits as compute_accidental_hits,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from tensorwright.python.ops.ctc_ops import (
    collapse_repeated as collapse_repeated,
    ctc_beam_search_decoder as ctc_beam_search_decoder,
    ctc_beam_search_decoder_v2 as ctc_beam_search_decoder_v2,
    ctc_greedy_decoder as ctc_greedy_decoder,
    ctc_loss as ctc_loss,
    ctc_loss_v2 as ctc_loss_v2,
    ctc_unique_labels as ctc_unique_labels,
)
from tensorwright.python.ops.embedding_ops import (
    embedding_lookup as embedding_lookup,
    embedding_lookup_sparse as embedding_lookup_sparse,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from tensorwright.python.ops.math_ops import sigmoid as sigmoid, tanh as tanh
from tensorwright.python.ops.nn_impl import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    batch_normalization as batch_normalization,
    depthwise_conv2d as depthwise_conv2d,
    fused_batch_norm as fused_batch_norm,
    l2_normalize as l2_normalize,
    log_poisson_loss as log_poisson_loss,
    moments as moments,
    normalize_moments as normalize_moments,
    relu_layer as relu_layer,
    separable_conv2d as separable_conv2d,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    silu as silu,
    sufficient_statistics as sufficient_statistics,
    swish as swish,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
    weighted_moments as weighted_moments,
    zero_fraction as zero_fraction,
)
from tensorwright.python.ops.nn_ops import (
    atrous_conv2d as atrous_conv2d,
    atrous_conv2d_transpose as atrous_conv2d_transpose,
    avg_pool as avg_pool,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    avg_pool_v2 as avg_pool_v2,
    bias_add as bias_add,
    bias_add_v1 as bias_add_v1,
    conv1d as conv1d,
    conv1d_transpose as conv1d_transpose,
    conv2d as conv2d,
    conv2d_backprop_filter as conv2d_backprop_filter,
    conv2d_backprop_input as conv2d_backprop_input,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_backprop_filter as conv3d_backprop_filter,
    conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2,
    conv3d_transpose as conv3d_transpose,
    conv_transpose as conv_transpose,
    convolution as convolution,
    crelu as crelu,
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
    depthwise_conv2d_native as depthwise_conv2d_native,
    depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input,
    dilation2d as dilation2d,
    dropout as dropout,
    elu as elu,
    erosion2d as erosion2d,
    fractional_avg_pool as fractional_avg_pool,
    fractional_max_pool as fractional_max_pool,
    in_top_k as in_top_k,
    l2_loss as l2_loss,
    leaky_relu as leaky_relu,
    local_response_normalization as local_response_normalization,
    log_softmax as log_softmax,
    lrn as lrn,
    max_pool as max_pool,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    max_pool_v2 as max_pool_v2,
    max_pool_with_argmax as max_pool_with_argmax,
    pool as pool,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    softmax as softmax,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
    softplus as softplus,
    softsign as softsign,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    top_k as top_k,
    with_space_to_batch as with_space_to_batch,
    xw_plus_b as xw_plus_b,
)
from tensorwright.python.ops.rnn import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
    dynamic_rnn as dynamic_rnn,
    raw_rnn as raw_rnn,
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
    static_state_saving_rnn as static_state_saving_rnn,
)
from tensorwright.python.ops.sort_ops import (
    approx_max_k as approx_max_k,
    approx_min_k as approx_min_k,
)
