// SPDX-License-Identifier: Apache-2.0
// The kernels of FFT, RFFT and their variants.

#include "core/kernels/spectral/fft_ops.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using spectral::Layout;
using spectral::Transform;

// The [batch, last `rank` dimensions] part of a tensor, whose sizes are at
// least those.
struct Block {
  int64_t batch = 1;
  int64_t size[3];

  int64_t area(int rank) const {
    int64_t area = 1;
    for (int d = 0; d < rank; ++d) area *= size[d];
    return area;
  }
};

Block BlockOf(const TensorShape& shape, int rank) {
  Block block;
  const int outer = shape.dims() - rank;
  for (int d = 0; d < outer; ++d) block.batch *= shape.dim_size(d);
  for (int d = 0; d < rank; ++d) block.size[d] = shape.dim_size(outer + d);
  return block;
}

// Sets the steps of `block` in elements, for rows in order, the batch first.
void SetSteps(const Block& block, int rank, int64_t* steps) {
  int64_t step = 1;
  for (int d = rank; d >= 0; --d) {
    steps[d] = step;
    if (d > 0) step *= block.size[d - 1];
  }
}

// Returns roughly how many cycles n elements take.
double Cost(double n) { return 4 * n * std::log2(n + 1) + 100; }

// Parts of a batch begin at multiples of this.  Vectors hold several arrays at
// once, so that other parts would give results with other bits.
constexpr int64_t kTogether = 16;

int64_t PartsOf(int64_t n) { return (n + kTogether - 1) / kTogether; }

// Calls fn(layout, first of the batch) for parts of the batch, in parallel.
template <typename Fn>
void ForBatch(OpKernelContext* ctx, const Layout& layout, double area,
              const Fn& fn) {
  const auto run = [&](int64_t begin, int64_t end) {
    Layout part = layout;
    const int64_t first = begin * kTogether;
    part.size[0] = std::min(end * kTogether, layout.size[0]) - first;
    fn(part, first);
  };
  const double cost = kTogether * Cost(area);
  ParallelFor(ctx, PartsOf(layout.size[0]),
              static_cast<int64_t>(std::min(cost, 1e15)), run);
}

// Transforms one array alone: its dimensions in turn, each shared out along
// another one.
template <typename R>
void OneArray(OpKernelContext* ctx, const Layout& layout, Transform transform,
              const std::complex<R>* in, std::complex<R>* out) {
  const int rank = layout.dims - 1;
  const auto* from = in;
  for (int axis = rank; axis >= 1; --axis) {
    const bool first = axis == rank;
    const int across = axis == 1 ? rank : 1;
    // The dimensions are [across, the remaining one, axis].
    Layout pass;
    pass.dims = 2;
    pass.size[1] = layout.size[axis];
    const int64_t* steps = first ? layout.in_step : layout.out_step;
    pass.in_step[1] = steps[axis];
    pass.out_step[1] = layout.out_step[axis];
    pass.in_step[0] = steps[across];
    pass.out_step[0] = layout.out_step[across];
    // Used if there are three dimensions.
    const int third = 1 + 2 + 3 - axis - across;
    const int64_t others = rank == 3 ? layout.size[third] : 1;
    const Transform step{transform.forward, first ? transform.scale : 1.0};
    const auto run = [&](int64_t begin, int64_t end) {
      Layout part = pass;
      const int64_t at = begin * kTogether;
      part.size[0] = std::min(end * kTogether, layout.size[across]) - at;
      for (int64_t i = 0; i < others; ++i) {
        const int64_t in_at = rank == 3 ? i * steps[third] : 0;
        const int64_t out_at = rank == 3 ? i * layout.out_step[third] : 0;
        spectral::ComplexToComplex<R>(part, step,
                                      from + in_at + at * pass.in_step[0],
                                      out + out_at + at * pass.out_step[0]);
      }
    };
    const double cost = kTogether * static_cast<double>(others) *
                        Cost(static_cast<double>(pass.size[1]));
    ParallelFor(ctx, PartsOf(layout.size[across]),
                static_cast<int64_t>(std::min(cost, 1e15)), run);
    from = out;
  }
}

}  // namespace

// Transforms complex to complex; kForward, or the inverse.
template <typename T, int kRank, bool kForward>
class FftOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    using R = typename T::value_type;
    const Tensor& input = ctx->input(0);
    OP_REQUIRES(
        ctx, input.dims() >= kRank,
        errors::InvalidArgument("Input must have rank of at least ", kRank,
                                " but got: ", input.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    if (output->NumElements() == 0) return;
    const Block block = BlockOf(input.shape(), kRank);
    Layout layout;
    layout.dims = kRank + 1;
    layout.size[0] = block.batch;
    std::copy_n(block.size, kRank, layout.size + 1);
    SetSteps(block, kRank, layout.in_step);
    SetSteps(block, kRank, layout.out_step);
    const int64_t area = block.area(kRank);
    const Transform transform{kForward,
                              kForward ? 1 : 1 / static_cast<double>(area)};
    const T* in = input.base<T>();
    T* out = output->base<T>();
    if (kRank > 1 && block.batch == 1) {
      OneArray<R>(ctx, layout, transform, in, out);
      return;
    }
    ForBatch(ctx, layout, static_cast<double>(area),
             [&](const Layout& part, int64_t at) {
               spectral::ComplexToComplex<R>(part, transform, in + at * area,
                                             out + at * area);
             });
  }
};

// Transforms real to complex, or complex to real.
template <typename R, int kRank, bool kForward>
class RfftOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& length = ctx->input(1);
    OP_REQUIRES(
        ctx, input.dims() >= kRank,
        errors::InvalidArgument("Input must have rank of at least ", kRank,
                                " but got: ", input.shape().DebugString()));
    OP_REQUIRES(
        ctx, length.dims() == 1 && length.dim_size(0) == kRank,
        errors::InvalidArgument("fft_length must have shape [", kRank,
                                "], got shape ", length.shape().DebugString()));
    Block block = BlockOf(input.shape(), kRank);
    Layout layout;
    layout.dims = kRank + 1;
    layout.size[0] = block.batch;
    TensorShape shape = input.shape();
    Block result = block;
    for (int d = 0; d < kRank; ++d) {
      const int64_t n = length.base<int32_t>()[d];
      const bool last = d + 1 == kRank;
      OP_REQUIRES(
          ctx, n >= 0,
          errors::InvalidArgument("fft_length[", d, "] must be >= 0, got ", n));
      const int64_t half = n > 0 ? n / 2 + 1 : 0;
      const int64_t needed = !kForward && last ? half : n;
      OP_REQUIRES(
          ctx, block.batch == 0 || needed <= block.size[d],
          errors::InvalidArgument("Input dimension ", input.dims() - kRank + d,
                                  " must have length of at least ", needed,
                                  " but got: ", block.size[d]));
      layout.size[1 + d] = n;
      result.size[d] = kForward && last ? half : n;
      shape.set_dim(input.dims() - kRank + d, result.size[d]);
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    SetSteps(block, kRank, layout.in_step);
    SetSteps(result, kRank, layout.out_step);
    const int64_t from = block.area(kRank), to = result.area(kRank);
    double area = 1;
    for (int d = 0; d < kRank; ++d) {
      area *= static_cast<double>(layout.size[1 + d]);
    }
    ForBatch(ctx, layout, area, [&](const Layout& part, int64_t at) {
      if constexpr (kForward) {
        spectral::RealToComplex<R>(part, 1, input.base<R>() + at * from,
                                   output->base<std::complex<R>>() + at * to);
      } else {
        spectral::ComplexToReal<R>(part, 1 / area,
                                   input.base<std::complex<R>>() + at * from,
                                   output->base<R>() + at * to);
      }
    });
  }
};

#define TW_REGISTER(NAME, RANK, FORWARD)                                    \
  REGISTER_KERNEL_BUILDER(                                                  \
      Name(NAME).Device(DEVICE_CPU).TypeConstraint<complex64>("Tcomplex"),  \
      FftOp<complex64, RANK, FORWARD>);                                     \
  REGISTER_KERNEL_BUILDER(                                                  \
      Name(NAME).Device(DEVICE_CPU).TypeConstraint<complex128>("Tcomplex"), \
      FftOp<complex128, RANK, FORWARD>);                                    \
  REGISTER_KERNEL_BUILDER(Name("Batch" NAME).Device(DEVICE_CPU),            \
                          FftOp<complex64, RANK, FORWARD>)
#define TW_REGISTER_REAL(NAME, RANK, FORWARD)                          \
  REGISTER_KERNEL_BUILDER(Name(NAME)                                   \
                              .Device(DEVICE_CPU)                      \
                              .TypeConstraint<float>("Treal")          \
                              .TypeConstraint<complex64>("Tcomplex"),  \
                          RfftOp<float, RANK, FORWARD>);               \
  REGISTER_KERNEL_BUILDER(Name(NAME)                                   \
                              .Device(DEVICE_CPU)                      \
                              .TypeConstraint<double>("Treal")         \
                              .TypeConstraint<complex128>("Tcomplex"), \
                          RfftOp<double, RANK, FORWARD>)
// Macros, because the name of an op is pasted.
TW_REGISTER("FFT", 1, true);
TW_REGISTER("FFT2D", 2, true);
TW_REGISTER("FFT3D", 3, true);
TW_REGISTER("IFFT", 1, false);
TW_REGISTER("IFFT2D", 2, false);
TW_REGISTER("IFFT3D", 3, false);
TW_REGISTER_REAL("RFFT", 1, true);
TW_REGISTER_REAL("RFFT2D", 2, true);
TW_REGISTER_REAL("RFFT3D", 3, true);
TW_REGISTER_REAL("IRFFT", 1, false);
TW_REGISTER_REAL("IRFFT2D", 2, false);
TW_REGISTER_REAL("IRFFT3D", 3, false);
#undef TW_REGISTER
#undef TW_REGISTER_REAL

}  // namespace tensorwright
