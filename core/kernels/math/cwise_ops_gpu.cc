// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels on a GPU: the host's side of cwise_ops_*_gpu.cu.cc.
//
// Integer division, remainders and powers are not here: they can fail, which a
// GPU loop has no way to say.  int32 stays in host memory, because on a GPU it
// is shapes and indices.

#if GOOGLE_CUDA

#include "core/kernels/math/cwise_ops_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/bcast.h"

namespace tensorwright {
namespace {

template <typename T>
struct GpuStorageOf {
  using type = T;
};
template <>
struct GpuStorageOf<Eigen::half> {
  using type = GpuHalf;
};
template <>
struct GpuStorageOf<Eigen::bfloat16> {
  using type = GpuBfloat16;
};
template <typename T>
using GpuStorage = typename GpuStorageOf<T>::type;

Status ToStatus(const OpKernel& kernel, int cuda_error) {
  if (cuda_error == 0) return OkStatus();
  return errors::Internal(kernel.type_string(),
                          ": launch failed with CUDA error ", cuda_error);
}

class GpuUnaryOpBase : public OpKernel {
 public:
  GpuUnaryOpBase(OpKernelConstruction* ctx, GpuUnaryFn loop)
      : OpKernel(ctx, /*is_expensive=*/false), loop_(loop) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, ToStatus(*this, loop_(GpuStream(ctx), x.data(),
                                              y->data(), x.NumElements())));
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
    OP_REQUIRES_OK(
        ctx,
        ToStatus(*this, loop_(GpuStream(ctx), x.data(), y.data(), z->data(),
                              z->NumElements(), same ? nullptr : &shape)));
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
        : GpuUnaryOpBase(ctx, &GpuUnary<F, GpuStorage<T>>) {}
  };
};

template <template <typename> class F>
struct BinaryOnGpu {
  template <typename T>
  class Op final : public GpuBinaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : GpuBinaryOpBase(ctx, &GpuBinary<F, GpuStorage<T>>) {}
  };
};

}  // namespace

REGISTER_KERNEL_FOR_TYPES(Name("Neg").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Neg>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Abs").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Abs>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Square").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Square>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Sign").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Sign>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Sqrt").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Sqrt>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Rsqrt").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Rsqrt>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Reciprocal").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Reciprocal>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Floor").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Floor>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Ceil").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Ceil>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Rint").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Rint>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("IsNan").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::IsNan>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("IsInf").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::IsInf>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("IsFinite").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::IsFinite>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Exp").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Exp>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Expm1").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Expm1>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Log").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Log>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Log1p").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Log1p>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Sin").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Sin>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Cos").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Cos>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Tan").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Tan>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Tanh").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Tanh>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Sigmoid").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Sigmoid>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Erf").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Erf>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Erfc").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Erfc>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Lgamma").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Lgamma>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Digamma").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Digamma>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Relu").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Relu>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Relu6").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Relu6>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Elu").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Elu>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Softplus").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Softplus>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Softsign").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Softsign>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Inv").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Reciprocal>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Round").Device(DEVICE_GPU), "T",
                          UnaryOnGpu<functor::Rint>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_BUILDER(Name("LogicalNot").Device(DEVICE_GPU),
                        UnaryOnGpu<functor::LogicalNot>::Op<bool>);

REGISTER_KERNEL_FOR_TYPES(Name("Add").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Add>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Sub").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Sub>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Mul").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Mul>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Maximum").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Maximum>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Minimum").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Minimum>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("SquaredDifference").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::SquaredDifference>::Op,
                          Eigen::half, Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Equal").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Equal>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("NotEqual").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::NotEqual>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Less").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Less>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("LessEqual").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::LessEqual>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Greater").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Greater>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("GreaterEqual").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::GreaterEqual>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("Div").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Div>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("FloorDiv").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::FloorDiv>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("TruncateDiv").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::TruncateDiv>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("FloorMod").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::FloorMod>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Mod").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Mod>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Pow").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Pow>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("TanhGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::TanhGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SigmoidGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::SigmoidGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SqrtGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::SqrtGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("RsqrtGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::RsqrtGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ReciprocalGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::ReciprocalGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ReluGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::ReluGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Relu6Grad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Relu6Grad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("EluGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::EluGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SoftplusGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::SoftplusGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SoftsignGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::SoftsignGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("RealDiv").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Div>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("TruncateMod").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::Mod>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("InvGrad").Device(DEVICE_GPU), "T",
                          BinaryOnGpu<functor::ReciprocalGrad>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_BUILDER(Name("LogicalAnd").Device(DEVICE_GPU),
                        BinaryOnGpu<functor::LogicalAnd>::Op<bool>);
REGISTER_KERNEL_BUILDER(Name("LogicalOr").Device(DEVICE_GPU),
                        BinaryOnGpu<functor::LogicalOr>::Op<bool>);

REGISTER_KERNEL_BUILDER(Name("Add")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::Add>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("Sub")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::Sub>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("Mul")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::Mul>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("Maximum")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::Maximum>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("Minimum")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::Minimum>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("Equal")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::Equal>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("NotEqual")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::NotEqual>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("Less")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::Less>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("LessEqual")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::LessEqual>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("Greater")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::Greater>::Op<int32>);
REGISTER_KERNEL_BUILDER(Name("GreaterEqual")
                            .Device(DEVICE_GPU)
                            .HostMemory("x")
                            .HostMemory("y")
                            .HostMemory("z")
                            .TypeConstraint<int32>("T"),
                        Binary<functor::GreaterEqual>::Op<int32>);

}  // namespace tensorwright

#endif  // GOOGLE_CUDA
