// SPDX-License-Identifier: Apache-2.0
// ReverseSequence: reverses the start of each sequence.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The input as [outer, first, middle, second, inner], in which one of first and
// second is the batch's dimension, and the other the sequence's.
struct SequenceSizes {
  int64_t first, middle, second, inner;
  bool batch_first;
};

// Writes rows [begin, end) of `second` runs of `inner` elements.  Lengths were
// in range when they were checked, but a variable's may have changed.
template <typename T, typename Length>
void ReverseRows(const T* in, const Length* lengths, const SequenceSizes& sizes,
                 int64_t begin, int64_t end, T* out) {
  const int64_t inner = sizes.inner, row = sizes.second * inner;
  for (int64_t r = begin; r < end; ++r) {
    const int64_t f = r / sizes.middle % sizes.first;
    const T* const from = in + r * row;
    T* const to = out + r * row;
    if (sizes.batch_first) {
      const auto length = std::clamp<int64_t>(lengths[f], 0, sizes.second);
      if (inner == 1) {
        std::reverse_copy(from, from + length, to);
      } else {
        for (int64_t s = 0; s < length; ++s) {
          CopyRun(from + (length - 1 - s) * inner, inner, to + s * inner);
        }
      }
      CopyRun(from + length * inner, row - length * inner, to + length * inner);
      continue;
    }
    // Each run comes from its own row.
    for (int64_t s = 0; s < sizes.second; ++s) {
      const auto length = std::clamp<int64_t>(lengths[s], 0, sizes.first);
      const int64_t rows = f < length ? length - 1 - 2 * f : 0;
      CopyRun(from + rows * sizes.middle * row + s * inner, inner,
              to + s * inner);
    }
  }
}

template <typename Length>
class ReverseSequenceOp final : public OpKernel {
 public:
  explicit ReverseSequenceOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("batch_dim", &batch_dim_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("seq_dim", &seq_dim_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const Tensor& lengths = ctx->input(1);
    OP_REQUIRES_OK(ctx, Check(in.shape(), lengths));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, in.shape(), &out));
    if (out->NumElements() == 0) return;
    const int low = static_cast<int>(std::min(batch_dim_, seq_dim_));
    const int high = static_cast<int>(std::max(batch_dim_, seq_dim_));
    const SequenceSizes sizes{
        in.dim_size(low), SizeOfDims(in.shape(), low + 1, high),
        in.dim_size(high), SizeOfDims(in.shape(), high + 1, in.dims()),
        batch_dim_ < seq_dim_};
    OP_REQUIRES_OK(
        ctx, DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(ctx, in.NumElements() / sizes.inner / sizes.second,
                      sizes.second * (2 + sizes.inner * MoveCost<T>()),
                      [&](int64_t begin, int64_t end) {
                        ReverseRows(in.base<T>(), lengths.base<Length>(), sizes,
                                    begin, end, out->base<T>());
                      });
        }));
  }

 private:
  Status Check(const TensorShape& in, const Tensor& lengths) const {
    if (lengths.dims() != 1) {
      return errors::InvalidArgument("seq_lengths must be 1-dim, got shape ",
                                     lengths.shape().DebugString());
    }
    if (batch_dim_ < 0 || batch_dim_ >= in.dims() || seq_dim_ < 0 ||
        seq_dim_ >= in.dims() || batch_dim_ == seq_dim_) {
      return errors::InvalidArgument(
          "batch_dim and seq_dim must be two of the ", in.dims(),
          " dimensions, got ", batch_dim_, " and ", seq_dim_);
    }
    const int64_t batch = in.dim_size(static_cast<int>(batch_dim_));
    if (lengths.NumElements() != batch) {
      return errors::InvalidArgument("Length of seq_lengths != input.dims(",
                                     batch_dim_, "), (", lengths.NumElements(),
                                     " vs. ", batch, ")");
    }
    const int64_t most = in.dim_size(static_cast<int>(seq_dim_));
    for (int64_t i = 0; i < batch; ++i) {
      const int64_t length = lengths.base<Length>()[i];
      if (length < 0 || length > most) {
        return errors::InvalidArgument("seq_lengths(", i, ") = ", length,
                                       " is not in [0, ", most,
                                       "], the size of dimension ", seq_dim_);
      }
    }
    return OkStatus();
  }

  int64_t batch_dim_ = 0, seq_dim_ = 0;
};
REGISTER_KERNEL_BUILDER(
    Name("ReverseSequence").Device(DEVICE_CPU).TypeConstraint<int32_t>("Tlen"),
    ReverseSequenceOp<int32_t>);
REGISTER_KERNEL_BUILDER(
    Name("ReverseSequence").Device(DEVICE_CPU).TypeConstraint<int64_t>("Tlen"),
    ReverseSequenceOp<int64_t>);

}  // namespace
}  // namespace tensorwright
