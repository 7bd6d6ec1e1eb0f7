// SPDX-License-Identifier: Apache-2.0
// Records of files in random order, without a queue.

#include <cstdint>

#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;

Status RecordInputShape(InferenceContext* c) {
  int64_t batch_size = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("batch_size", &batch_size));
  if (batch_size < 1) {
    return errors::InvalidArgument("RecordInput: batch_size must be > 0, got ",
                                   batch_size);
  }
  c->set_output(0, c->Vector(batch_size));
  return OkStatus();
}

}  // namespace

REGISTER_OP("RecordInput")
    .Output("records: string")
    .Attr("file_pattern: string")
    .Attr("file_random_seed: int = 301")
    .Attr("file_shuffle_shift_ratio: float = 0")
    .Attr("file_buffer_size: int = 10000")
    .Attr("file_parallelism: int = 16")
    .Attr("batch_size: int = 32")
    .Attr("compression_type: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Touches("files read")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(RecordInputShape)
    .Doc(
        "The next records of files of records, an epoch after the other, in "
        "random order out of a buffer of attr file_buffer_size: [batch_size].");

}  // namespace tensorwright
