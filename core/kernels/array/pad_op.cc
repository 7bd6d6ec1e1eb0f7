// SPDX-License-Identifier: Apache-2.0
// Pad and PadV2: a tensor with zeros or another value around it.

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/util/overflow.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

struct PadDim {
  int64_t before, size, after;
  int64_t padded() const { return before + size + after; }
};
// Never empty.
using PadDims = absl::InlinedVector<PadDim, 8>;

// Dimensions that are not padded join the one before them.
PadDims Simplify(const PadDims& dims) {
  PadDims out;
  for (const PadDim& dim : dims) {
    if (!out.empty() && dim.before == 0 && dim.after == 0) {
      PadDim& last = out.back();
      last.before *= dim.size;
      last.size *= dim.size;
      last.after *= dim.size;
    } else {
      out.push_back(dim);
    }
  }
  if (out.empty()) out.push_back({0, 1, 0});
  return out;
}

// Writes rows [begin, end) of the output along its last dimension: `value`,
// except for the part that comes from `in`.
template <typename T>
void PadRows(const T* in, const PadDims& dims, const T& value, int64_t begin,
             int64_t end, T* out) {
  const PadDim& last = dims.back();
  const int outer = static_cast<int>(dims.size()) - 1;
  for (int64_t row = begin; row < end; ++row) {
    T* to = out + row * last.padded();
    int64_t rest = row, from = 0, stride = 1;
    bool inside = true;
    for (int d = outer - 1; d >= 0; --d) {
      const int64_t i = rest % dims[d].padded() - dims[d].before;
      rest /= dims[d].padded();
      inside &= i >= 0 && i < dims[d].size;
      from += i * stride;
      stride *= dims[d].size;
    }
    if (!inside) {
      FillRun(value, last.padded(), to);
      continue;
    }
    std::fill_n(to, last.before, value);
    CopyRun(in + from * last.size, last.size, to + last.before);
    std::fill_n(to + last.before + last.size, last.after, value);
  }
}

// Fills `out`, then puts the input in its middle.
Status PadOnDevice(OpKernelContext* ctx, const DeviceMoves& moves,
                   const Tensor& in, const PadDims& dims,
                   const Tensor* constant, Tensor* out) {
  const int64_t size = DataTypeSize(in.dtype());
  const char zero[16] = {};
  TF_RETURN_IF_ERROR(moves.Fill(ctx,
                                constant == nullptr ? zero : constant->data(),
                                out->NumElements(), size, out->data()));
  StridedView middle;
  middle.sizes.resize(dims.size());
  middle.strides.resize(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d].padded()) {
    middle.sizes[d] = dims[d].size;
    middle.strides[d] = stride;
    middle.offset += dims[d].before * stride;
  }
  return MoveToView(ctx, in, middle, out);
}

template <typename Tpaddings>
class PadOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& paddings = ctx->input(1);
    const int rank = input.dims();
    OP_REQUIRES(ctx,
                paddings.dims() == 2 && paddings.dim_size(0) == rank &&
                    paddings.dim_size(1) == 2,
                errors::InvalidArgument(
                    "paddings must be a matrix of ", rank,
                    " rows and 2 columns: ", paddings.shape().DebugString()));
    const absl::Span<const Tpaddings> pads = Flat<Tpaddings>(paddings);
    const Tensor* constant = nullptr;
    if (ctx->num_inputs() > 2) {
      constant = &ctx->input(2);
      OP_REQUIRES(
          ctx, constant->dims() == 0,
          errors::InvalidArgument("constant_values must be a scalar. Found: ",
                                  constant->shape().DebugString()));
    }
    TensorShape shape;
    PadDims dims;
    bool any = false;
    for (int d = 0; d < rank; ++d) {
      const int64_t before = pads[2 * d];
      const int64_t after = pads[2 * d + 1];
      OP_REQUIRES(ctx, before >= 0 && after >= 0,
                  errors::InvalidArgument(
                      "Paddings must be non-negative: ", before, " ", after));
      const int64_t size = AddWithoutOverflow(
          AddWithoutOverflow(before, input.dim_size(d)), after);
      OP_REQUIRES(
          ctx, size >= 0,
          errors::InvalidArgument("Pad: dimension ", d, " becomes too large"));
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(size));
      dims.push_back({before, input.dim_size(d), after});
      any |= before > 0 || after > 0;
    }
    if (!any) {
      ctx->set_output(0, input);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    dims = Simplify(dims);
    const int64_t row = dims.back().padded();
    if (const DeviceMoves* moves = MovesOf(ctx)) {
      OP_REQUIRES_OK(ctx, PadOnDevice(ctx, *moves, input, dims, constant, out));
      return;
    }
    OP_REQUIRES_OK(
        ctx, DispatchElement(input.dtype(), [&]<typename T>(ElementTag<T>) {
          const T value = constant == nullptr ? T() : *constant->base<T>();
          ParallelFor(ctx, out->NumElements() / row, 10 + row * MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        PadRows(input.base<T>(), dims, value, begin, end,
                                out->base<T>());
                      });
        }));
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("Pad").Device(DEVICE_CPU).HostMemory("paddings"),
                          "Tpaddings", PadOp, int32_t, int64_t);

REGISTER_KERNEL_FOR_TYPES(Name("PadV2")
                              .Device(DEVICE_CPU)
                              .HostMemory("paddings")
                              .HostMemory("constant_values"),
                          "Tpaddings", PadOp, int32_t, int64_t);
REGISTER_MOVER_ON_GPU(
    PadOp<int32_t>, "T",
    Name("Pad").HostMemory("paddings").TypeConstraint<int32_t>("Tpaddings"),
    "input", "output");
REGISTER_MOVER_ON_GPU(
    PadOp<int64_t>, "T",
    Name("Pad").HostMemory("paddings").TypeConstraint<int64_t>("Tpaddings"),
    "input", "output");
REGISTER_MOVER_ON_GPU(PadOp<int32_t>, "T",
                      Name("PadV2")
                          .HostMemory("paddings")
                          .HostMemory("constant_values")
                          .TypeConstraint<int32_t>("Tpaddings"),
                      "input", "output");
REGISTER_MOVER_ON_GPU(PadOp<int64_t>, "T",
                      Name("PadV2")
                          .HostMemory("paddings")
                          .HostMemory("constant_values")
                          .TypeConstraint<int64_t>("Tpaddings"),
                      "input", "output");

}  // namespace
}  // namespace tensorwright
