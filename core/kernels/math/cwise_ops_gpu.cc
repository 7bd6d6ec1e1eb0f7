// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels on a GPU: the host's side of cwise_ops_*_gpu.cu.cc.
//
// Integer division, remainders and powers are not here: they can fail, which a
// GPU loop has no way to say.  int32 stays in host memory, because on a GPU it
// is shapes and indices.

#include "core/kernels/lib/gpu/cwise_ops_gpu.h"

#include <cstdint>
#include <type_traits>

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/lib/gpu/floats.h"
#include "core/util/bcast.h"

namespace tensorwright {
namespace {

class GpuUnaryOpBase : public OpKernel {
 public:
  GpuUnaryOpBase(OpKernelConstruction* ctx, GpuUnaryFn loop)
      : OpKernel(ctx, /*is_expensive=*/false), loop_(loop) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx,
                   loop_(GpuStream(ctx), x.data(), y->data(), x.NumElements()));
  }

 private:
  const GpuUnaryFn loop_;
};

class GpuBinaryOpBase : public OpKernel {
 public:
  GpuBinaryOpBase(OpKernelConstruction* ctx, GpuBinaryFn loop)
      : OpKernel(ctx, /*is_expensive=*/false), loop_(loop) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    const BCast bcast(BCast::FromShape(x.shape()), BCast::FromShape(y.shape()));
    OP_REQUIRES(ctx, bcast.IsValid(),
                errors::InvalidArgument(
                    type_string(), ": Incompatible shapes: ",
                    x.shape().DebugString(), " vs. ", y.shape().DebugString()));
    Tensor* z = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, BCast::ToShape(bcast.output_shape()), &z));
    if (z->NumElements() == 0) return;
    GpuBroadcast shape;
    const bool same = x.NumElements() == z->NumElements() &&
                      y.NumElements() == z->NumElements();
    if (!same) OP_REQUIRES_OK(ctx, Fold(bcast, &shape));
    OP_REQUIRES_OK(ctx, loop_(GpuStream(ctx), x.data(), y.data(), z->data(),
                              z->NumElements(), same ? nullptr : &shape));
  }

 private:
  static Status Fold(const BCast& bcast, GpuBroadcast* shape) {
    const auto& sizes = bcast.result_shape();
    if (sizes.size() > GpuBroadcast::kMaxRank) {
      return errors::Unimplemented(
          "Broadcast between shapes of more than ", GpuBroadcast::kMaxRank,
          " dimensions that do not fold, got ", sizes.size());
    }
    shape->rank = static_cast<int>(sizes.size());
    int64_t x_stride = 1, y_stride = 1;
    for (int d = shape->rank - 1; d >= 0; --d) {
      shape->sizes[d] = sizes[d];
      shape->x_strides[d] = bcast.x_reshape()[d] == 1 ? 0 : x_stride;
      shape->y_strides[d] = bcast.y_reshape()[d] == 1 ? 0 : y_stride;
      x_stride *= bcast.x_reshape()[d];
      y_stride *= bcast.y_reshape()[d];
    }
    return OkStatus();
  }

  const GpuBinaryFn loop_;
};

template <template <typename> class F>
struct UnaryOnGpu {
  template <typename T>
  class Op final : public GpuUnaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : GpuUnaryOpBase(ctx, &GpuUnary<F, gpu::Storage<T>>) {}
  };
};

template <template <typename> class F>
struct BinaryOnGpu {
  template <typename T>
  class Op final : public GpuBinaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : GpuBinaryOpBase(ctx, &GpuBinary<F, gpu::Storage<T>>) {}
  };
};

// The types that a row of cwise_table.h registers on a GPU.
struct None {};
struct Bools {};
struct Floats {};
struct Numbers {};
struct NumbersAndHostInt32 {};

template <template <typename> class Kernel, typename... T>
void RegisterFor(const char* op, const char* class_name,
                 SourceLocation location) {
  kernel_factory::TypedKernelRegistrar<Kernel, T...>(
      register_kernel::Name(op).Device(DEVICE_GPU), "T", class_name, location);
}

// Registers a row of cwise_table.h.  `OnHost` is the CPU kernel, which serves
// int32.
template <class Types, template <typename> class OnGpu,
          template <typename> class OnHost>
void RegisterRow(const char* op, const char* class_name,
                 SourceLocation location) {
  using Eigen::bfloat16;
  using Eigen::half;
  if constexpr (std::is_same_v<Types, Bools>) {
    kernel_factory::OpKernelRegistrar(
        register_kernel::Name(op).Device(DEVICE_GPU), class_name, nullptr,
        &kernel_factory::MakeKernel<OnGpu<bool>>, location);
  } else if constexpr (std::is_same_v<Types, Floats>) {
    RegisterFor<OnGpu, half, bfloat16, float, double>(op, class_name, location);
  } else if constexpr (!std::is_same_v<Types, None>) {
    RegisterFor<OnGpu, half, bfloat16, float, double, int64_t>(op, class_name,
                                                               location);
  }
  if constexpr (std::is_same_v<Types, NumbersAndHostInt32>) {
    kernel_factory::OpKernelRegistrar(
        register_kernel::Name(op)
            .Device(DEVICE_GPU)
            .HostMemory("x")
            .HostMemory("y")
            .HostMemory("z")
            .TypeConstraint<int32>("T"),
        class_name, nullptr, &kernel_factory::MakeKernel<OnHost<int32>>,
        location);
  }
}

[[maybe_unused]] const bool kRowsAreRegistered = [] {
#define TW_ROW(arity, op, f, cost, types, gpu, flags)                    \
  RegisterRow<gpu, arity##OnGpu<functor::f>::Op, arity<functor::f>::Op>( \
      #op, #arity "OnGpu<functor::" #f ">::Op",                          \
      SourceLocation{__FILE__, __LINE__});
#include "core/kernels/lib/cwise_table.h"
  // Not in the table, because on a CPU AddV2 takes other types than Add.
  RegisterRow<NumbersAndHostInt32, BinaryOnGpu<functor::Add>::Op,
              Binary<functor::Add, 1>::Op>("AddV2",
                                           "BinaryOnGpu<functor::Add>::Op",
                                           SourceLocation{__FILE__, __LINE__});
  return true;
}();

}  // namespace
}  // namespace tensorwright
