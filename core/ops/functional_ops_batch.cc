// SPDX-License-Identifier: Apache-2.0
// BatchFunction: runs of several steps computed as one.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

// It counts as stateful: what comes depends on the runs of other steps, which
// wait for each other.
REGISTER_OP("BatchFunction")
    .Input("in_tensors: Tin")
    .Input("captured_tensors: Tcaptured")
    .Output("out_tensors: Tout")
    .Attr("f: func")
    .Attr("num_batch_threads: int")
    .Attr("max_batch_size: int")
    .Attr("batch_timeout_micros: int")
    .Attr("max_enqueued_batches: int = 10")
    .Attr("allowed_batch_sizes: list(int) = []")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("batching_queue: string = ''")
    .Attr("low_priority_max_batch_size: int = 0")
    .Attr("low_priority_batch_timeout_micros: int = 0")
    .Attr("low_priority_allowed_batch_sizes: list(int) = []")
    .Attr("low_priority_max_enqueued_batches: int = 0")
    .Attr(
        "mixed_priority_policy: {'low_priority_padding_with_max_batch_size', "
        "'low_priority_padding_with_next_allowed_batch_size', "
        "'priority_isolation', 'priority_merge'} = "
        "'low_priority_padding_with_max_batch_size'")
    .Attr(
        "batch_padding_policy: {'PAD_UP', 'BATCH_DOWN', "
        "'MINIMIZE_TPU_COST_PER_REQUEST'} = 'PAD_UP'")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tcaptured: list(type) >= 0")
    .Attr("Tout: list(type) >= 1")
    .Attr("enable_large_batch_splitting: bool = false")
    .SetIsDistributedCommunication()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc(
        "What f makes of in_tensors [n, ...] and captured_tensors, which it "
        "gets behind them: out_tensors [n, ...].  Rows of runs that ask for it "
        "within batch_timeout_micros are computed together.");

}  // namespace tensorwright
