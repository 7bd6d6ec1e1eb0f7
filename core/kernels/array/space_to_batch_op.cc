// SPDX-License-Identifier: Apache-2.0
// SpaceToBatchND, BatchToSpaceND, and their older forms of one block_size.

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/int_elements.h"
#include "core/util/overflow.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// One dimension: `space` positions, which with their paddings make `blocks`
// blocks.  Position x is number (x + before) % block of block (x + before) /
// block.
struct BlockDim {
  int64_t space, block, before, blocks;
};

// The space side is [batch, dims[i].space..., inner], the batch side [product
// of dims[i].block * batch, dims[i].blocks..., inner].
struct Blocks {
  int64_t batch = 1, inner = 1;
  absl::InlinedVector<BlockDim, 4> dims;

  // Dimensions that stay as they are join the batch or the inner elements.
  // At least one dimension stays.
  void Simplify() {
    const auto is_whole = [](const BlockDim& d) {
      return d.block == 1 && d.space == d.blocks;
    };
    while (dims.size() > 1 && is_whole(dims.back())) {
      inner *= dims.back().space;
      dims.pop_back();
    }
    while (dims.size() > 1 && is_whole(dims.front())) {
      batch *= dims.front().space;
      dims.erase(dims.begin());
    }
  }
};

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Writes rows [begin, end) of the batch side: [blocks * batch, all but the last
// dimension's blocks].
template <typename T>
void SpaceToBatchRows(const T* space, const Blocks& b, int64_t begin,
                      int64_t end, T* out) {
  const int m = static_cast<int>(b.dims.size());
  const BlockDim& last = b.dims[m - 1];
  for (int64_t row = begin; row < end; ++row) {
    absl::InlinedVector<int64_t, 4> q(m, 0);
    int64_t rest = row;
    for (int i = m - 2; i >= 0; --i) {
      q[i] = rest % b.dims[i].blocks;
      rest /= b.dims[i].blocks;
    }
    const int64_t n = rest % b.batch;
    rest /= b.batch;
    const int64_t s = rest % last.block;
    rest /= last.block;
    int64_t stride = last.space, from = 0;
    bool inside = true;
    for (int i = m - 2; i >= 0; --i) {
      const BlockDim& d = b.dims[i];
      const int64_t x = q[i] * d.block + rest % d.block - d.before;
      rest /= d.block;
      inside &= x >= 0 && x < d.space;
      from += x * stride;
      stride *= d.space;
    }
    from += n * stride;
    T* to = out + row * last.blocks * b.inner;
    if (!inside) {
      std::fill_n(to, last.blocks * b.inner, T());
      continue;
    }
    // The number of positions before space's first.
    const int64_t ahead = last.before - s;
    const int64_t first = std::clamp<int64_t>(
        CeilDiv(std::max<int64_t>(ahead, 0), last.block), 0, last.blocks);
    const int64_t stop = std::clamp<int64_t>(
        CeilDiv(std::max<int64_t>(last.space + ahead, 0), last.block), first,
        last.blocks);
    std::fill_n(to, first * b.inner, T());
    const T* in = space + from * b.inner;
    for (int64_t k = first; k < stop; ++k) {
      CopyRun(in + (k * last.block - ahead) * b.inner, b.inner,
              to + k * b.inner);
    }
    std::fill_n(to + stop * b.inner, (last.blocks - stop) * b.inner, T());
  }
}

// Writes rows [begin, end) of the space side: [batch, all but the last
// dimension].
template <typename T>
void BatchToSpaceRows(const T* in, const Blocks& b, int64_t begin, int64_t end,
                      T* out) {
  const int m = static_cast<int>(b.dims.size());
  const BlockDim& last = b.dims[m - 1];
  for (int64_t row = begin; row < end; ++row) {
    // The source of the row: its block's number, and its place in it.
    int64_t rest = row, q_stride = last.blocks, q = 0, s_stride = last.block,
            s = 0;
    for (int i = m - 2; i >= 0; --i) {
      const BlockDim& d = b.dims[i];
      const int64_t x = rest % d.space + d.before;
      rest /= d.space;
      q += x / d.block * q_stride;
      q_stride *= d.blocks;
      s += x % d.block * s_stride;
      s_stride *= d.block;
    }
    T* to = out + row * last.space * b.inner;
    for (int64_t x = 0; x < std::min(last.block, last.space); ++x) {
      const int64_t at = x + last.before;
      const int64_t from = ((s + at % last.block) * b.batch + rest) * q_stride +
                           q + at / last.block;
      const T* run = in + from * b.inner;
      for (int64_t k = x; k < last.space; k += last.block, run += b.inner) {
        CopyRun(run, b.inner, to + k * b.inner);
      }
    }
  }
}

// Attr block_size for two dimensions, or input 1, block_shape; then paddings or
// crops.
template <bool kToBatch>
class SpaceBatchOp final : public OpKernel {
 public:
  explicit SpaceBatchOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    if (!ctx->HasAttr("block_size")) return;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("block_size", &block_size_));
    OP_REQUIRES(
        ctx, block_size_ > 1,
        errors::InvalidArgument("Block size should be > 1, got ", block_size_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const Tensor& edges = ctx->input(ctx->num_inputs() - 1);
    absl::InlinedVector<int64_t, 4> block_shape(2, block_size_);
    if (block_size_ > 0) {
      OP_REQUIRES(
          ctx, in.dims() == 4,
          errors::InvalidArgument("input rank should be 4, got ", in.dims()));
    } else {
      OP_REQUIRES_OK(ctx, ReadBlockShape(ctx->input(1), &block_shape));
    }
    Blocks blocks;
    TensorShape shape;
    OP_REQUIRES_OK(ctx,
                   Resolve(in.shape(), block_shape, edges, &blocks, &shape));
    if (block_shape.empty()) {
      ctx->set_output(0, in);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    blocks.Simplify();
    const BlockDim& last = blocks.dims.back();
    const int64_t row = (kToBatch ? last.blocks : last.space) * blocks.inner;
    OP_REQUIRES_OK(
        ctx, DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
          const T* from = in.base<T>();
          T* to = out->base<T>();
          ParallelFor(ctx, out->NumElements() / row,
                      20 + 2 * row * MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        if constexpr (kToBatch) {
                          SpaceToBatchRows(from, blocks, begin, end, to);
                        } else {
                          BatchToSpaceRows(from, blocks, begin, end, to);
                        }
                      });
        }));
  }

 private:
  static Status ReadBlockShape(const Tensor& t,
                               absl::InlinedVector<int64_t, 4>* block_shape) {
    if (t.dims() != 1) {
      return errors::InvalidArgument("block_shape must be a vector, got shape ",
                                     t.shape().DebugString());
    }
    block_shape->clear();
    for (int64_t i = 0; i < t.NumElements(); ++i) {
      const int64_t block = IntAt(t, i);
      if (block < 1) {
        return errors::InvalidArgument(
            "All values in block_shape must be "
            "positive, got block_shape[",
            i, "] = ", block);
      }
      block_shape->push_back(block);
    }
    return OkStatus();
  }

  // Checks all arguments, and finds the dimensions and the output's shape.
  static Status Resolve(const TensorShape& in,
                        absl::Span<const int64_t> block_shape,
                        const Tensor& edges, Blocks* blocks, TensorShape* out) {
    const int m = static_cast<int>(block_shape.size());
    const char* name = kToBatch ? "paddings" : "crops";
    if (edges.dims() != 2 || edges.dim_size(0) != m || edges.dim_size(1) != 2) {
      return errors::InvalidArgument(name, " should have shape [", m,
                                     ", 2] instead of ",
                                     edges.shape().DebugString());
    }
    if (in.dims() < m + 1) {
      return errors::InvalidArgument("input rank should be >= ", m + 1,
                                     " instead of ", in.dims());
    }
    int64_t product = 1;
    for (int64_t block : block_shape) {
      product = MultiplyWithoutOverflow(product, block);
    }
    if (product < 0) {
      return errors::InvalidArgument("block_shape's product is too large");
    }
    const int64_t in_batch = in.dim_size(0);
    if (!kToBatch && in_batch % product != 0) {
      return errors::InvalidArgument(
          "Input batch dimension (", in_batch,
          ") is not divisible by product of block sizes (", product, ")");
    }
    const int64_t out_batch = kToBatch
                                  ? MultiplyWithoutOverflow(in_batch, product)
                                  : in_batch / product;
    if (out_batch < 0) {
      return errors::InvalidArgument(
          "the output's batch is too large: ", in_batch, " * ", product);
    }
    TF_RETURN_IF_ERROR(out->AddDimWithStatus(out_batch));
    blocks->batch = kToBatch ? in_batch : out_batch;
    for (int i = 0; i < m; ++i) {
      const int64_t before = IntAt(edges, 2 * i);
      const int64_t after = IntAt(edges, 2 * i + 1);
      if (before < 0 || after < 0) {
        return errors::InvalidArgument(name, " must be non-negative, got [",
                                       before, ", ", after, "]");
      }
      BlockDim d{0, block_shape[i], before, 0};
      TF_RETURN_IF_ERROR(ResolveDim(in.dim_size(i + 1), after, &d));
      TF_RETURN_IF_ERROR(out->AddDimWithStatus(kToBatch ? d.blocks : d.space));
      blocks->dims.push_back(d);
    }
    blocks->inner = SizeOfDims(in, m + 1, in.dims());
    for (int d = m + 1; d < in.dims(); ++d) {
      TF_RETURN_IF_ERROR(out->AddDimWithStatus(in.dim_size(d)));
    }
    return OkStatus();
  }

  static Status ResolveDim(int64_t in_size, int64_t after, BlockDim* d) {
    if (kToBatch) {
      const int64_t padded =
          AddWithoutOverflow(AddWithoutOverflow(in_size, d->before), after);
      if (padded < 0 || padded % d->block != 0) {
        return errors::InvalidArgument(
            "padded_shape=", padded,
            " is not divisible by block_shape=", d->block);
      }
      d->space = in_size;
      d->blocks = padded / d->block;
      return OkStatus();
    }
    const int64_t whole = MultiplyWithoutOverflow(in_size, d->block);
    d->blocks = in_size;
    if (whole < 0 || d->before > whole || after > whole - d->before) {
      return errors::InvalidArgument(
          "cropped_shape must be non-negative: crops [", d->before, ", ", after,
          "] of a dimension of ", in_size, " * ", d->block);
    }
    d->space = whole - d->before - after;
    return OkStatus();
  }

  int64_t block_size_ = 0;
};

using SpaceToBatchOp = SpaceBatchOp<true>;
using BatchToSpaceOp = SpaceBatchOp<false>;
REGISTER_KERNEL_BUILDER(Name("SpaceToBatchND")
                            .Device(DEVICE_CPU)
                            .HostMemory("block_shape")
                            .HostMemory("paddings"),
                        SpaceToBatchOp);
REGISTER_KERNEL_BUILDER(
    Name("SpaceToBatch").Device(DEVICE_CPU).HostMemory("paddings"),
    SpaceToBatchOp);
REGISTER_KERNEL_BUILDER(Name("BatchToSpaceND")
                            .Device(DEVICE_CPU)
                            .HostMemory("block_shape")
                            .HostMemory("crops"),
                        BatchToSpaceOp);
REGISTER_KERNEL_BUILDER(
    Name("BatchToSpace").Device(DEVICE_CPU).HostMemory("crops"),
    BatchToSpaceOp);

}  // namespace
}  // namespace tensorwright
