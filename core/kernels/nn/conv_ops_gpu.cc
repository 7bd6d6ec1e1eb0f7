// SPDX-License-Identifier: Apache-2.0
// Conv2D, DepthwiseConv2dNative and their gradients on a GPU.
#include "core/kernels/nn/conv_ops_gpu.h"

#include <algorithm>

#include "core/framework/gpu_device_context.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/lib/core/errors.h"
#include "core/lib/gpu/blas.h"
#include "core/lib/gpu/driver.h"

namespace tensorwright {
namespace {

// Patches of so many bytes are made at a time, or those of one image.
constexpr int64_t kMostPatchBytes = int64_t{256} << 20;

template <typename T>
constexpr gpu::BlasType BlasTypeOf() {
  if constexpr (std::is_same_v<T, gpu::Half>) return gpu::BlasType::kHalf;
  if constexpr (std::is_same_v<T, gpu::Bfloat16>) {
    return gpu::BlasType::kBfloat16;
  }
  return std::is_same_v<T, float> ? gpu::BlasType::kFloat
                                  : gpu::BlasType::kDouble;
}

GpuConvWindow WindowOf(const WindowDim& w) {
  return {w.input, w.filter, w.output, w.stride, w.dilation, w.pad_before};
}

GpuConv ConvOf(const Conv2DDimensions& d) {
  GpuConv conv;
  conv.batch = d.batch;
  conv.in_depth = d.in_depth;
  conv.out_depth = d.out_depth;
  conv.groups = d.groups;
  conv.rows = WindowOf(d.rows);
  conv.cols = WindowOf(d.cols);
  conv.channels_first = d.format == FORMAT_NCHW;
  return conv;
}

// The patches of such a convolution are its input.
bool IsProduct(const GpuConv& c) {
  const auto is_point = [](const GpuConvWindow& w) {
    return w.filter == 1 && w.stride == 1 && w.input == w.output && w.pad == 0;
  };
  return !c.channels_first && is_point(c.rows) && is_point(c.cols);
}

Status Clear(OpKernelContext* ctx, Tensor* t) {
  return gpu::Current()->Set(GpuStream(ctx), t->data(), 0, t->TotalBytes());
}

// One convolution without groups, piece by piece of its images.
template <typename T>
class PatchedConv {
 public:
  PatchedConv(OpKernelContext* ctx, const GpuConv& conv)
      : ctx_(ctx), stream_(GpuStream(ctx)), conv_(conv) {}

  Status Forward(const T* input, const T* filter, T* output) {
    return ForEachPiece([&](int64_t first, int64_t images) {
      const T* patches = nullptr;
      TF_RETURN_IF_ERROR(MakePatches(input, first, images, &patches));
      T* const out = output + first * OutSize();
      gpu::Product p = NewProduct();
      if (!conv_.channels_first) {
        p.m = images * conv_.output_pixels();
        p.k = conv_.patch();
        p.n = conv_.out_depth;
        p.SetDense();
        return gpu::Multiply(stream_, p, patches, filter, out);
      }
      // The depth comes first: the transposed product of each image.
      p.m = conv_.out_depth;
      p.k = conv_.patch();
      p.n = conv_.output_pixels();
      p.transpose_a = p.transpose_b = true;
      p.batch = images;
      p.SetDense();
      p.a_step = 0;
      return gpu::Multiply(stream_, p, filter, patches, out);
    });
  }

  Status BackwardInput(const T* filter, const T* grad, T* input_grad) {
    return ForEachPiece([&](int64_t first, int64_t images) {
      T* const to = input_grad + first * InSize();
      T* patches = to;
      if (!IsProduct(conv_)) {
        TF_RETURN_IF_ERROR(Allocate(images));
        patches = static_cast<T*>(workspace_.data());
      }
      gpu::Product p = NewProduct();
      p.transpose_b = true;
      p.k = conv_.out_depth;
      p.n = conv_.patch();
      if (conv_.channels_first) {
        p.transpose_a = true;
        p.m = conv_.output_pixels();
        p.batch = images;
      } else {
        p.m = images * conv_.output_pixels();
      }
      p.SetDense();
      p.b_step = 0;
      TF_RETURN_IF_ERROR(
          gpu::Multiply(stream_, p, grad + first * OutSize(), filter, patches));
      if (IsProduct(conv_)) return OkStatus();
      return GpuPatchesGrad<T>(stream_, conv_, images, patches, to);
    });
  }

  Status BackwardFilter(const T* input, const T* grad, T* filter_grad) {
    return ForEachPiece([&](int64_t first, int64_t images) {
      const T* patches = nullptr;
      TF_RETURN_IF_ERROR(MakePatches(input, first, images, &patches));
      gpu::Product p = NewProduct();
      p.transpose_a = true;
      p.m = conv_.patch();
      p.n = conv_.out_depth;
      p.add = first > 0;
      if (!conv_.channels_first) {
        p.k = images * conv_.output_pixels();
        p.SetDense();
        return gpu::Multiply(stream_, p, patches, grad + first * OutSize(),
                             filter_grad);
      }
      p.transpose_b = true;
      p.k = conv_.output_pixels();
      p.SetDense();
      for (int64_t i = 0; i < images; ++i) {
        TF_RETURN_IF_ERROR(gpu::Multiply(stream_, p, patches + i * p.a_step,
                                         grad + (first + i) * OutSize(),
                                         filter_grad));
        p.add = true;
      }
      return OkStatus();
    });
  }

 private:
  int64_t InSize() const { return conv_.input_pixels() * conv_.in_depth; }
  int64_t OutSize() const { return conv_.output_pixels() * conv_.out_depth; }

  static gpu::Product NewProduct() {
    gpu::Product p;
    p.type = BlasTypeOf<T>();
    return p;
  }

  // Calls run(first image, images).
  template <typename Run>
  Status ForEachPiece(const Run& run) {
    const int64_t bytes =
        conv_.output_pixels() * conv_.patch() * int64_t{sizeof(T)};
    const int64_t most = std::max<int64_t>(1, kMostPatchBytes / bytes);
    for (int64_t first = 0; first < conv_.batch; first += most) {
      TF_RETURN_IF_ERROR(run(first, std::min(most, conv_.batch - first)));
    }
    return OkStatus();
  }

  // The first piece is the largest.
  Status Allocate(int64_t images) {
    if (workspace_.NumElements() > 0) return OkStatus();
    return ctx_->allocate_temp(
        ctx_->op_kernel().output_type(0),
        TensorShape({images, conv_.output_pixels(), conv_.patch()}),
        &workspace_);
  }

  Status MakePatches(const T* input, int64_t first, int64_t images,
                     const T** patches) {
    const T* const from = input + first * InSize();
    *patches = from;
    if (IsProduct(conv_)) return OkStatus();
    TF_RETURN_IF_ERROR(Allocate(images));
    *patches = static_cast<const T*>(workspace_.data());
    return GpuPatches<T>(stream_, conv_, images, from, workspace_.data());
  }

  OpKernelContext* const ctx_;
  CUstream_st* const stream_;
  const GpuConv conv_;
  Tensor workspace_;
};

enum class Pass { kForward, kInput, kFilter };

// out = the convolution, or one of its gradients, of a and b: input and filter,
// filter and the output's gradient, input and the output's gradient.
template <typename T>
Status RunPass(OpKernelContext* ctx, Pass pass, const GpuConv& conv,
               const Tensor& a, const Tensor& b, Tensor* out) {
  const auto* x = static_cast<const T*>(a.data());
  const auto* y = static_cast<const T*>(b.data());
  auto* to = static_cast<T*>(out->data());
  CUstream_st* const stream = GpuStream(ctx);
  if (conv.groups > 1) {
    switch (pass) {
      case Pass::kForward:
        return GpuGroupedConv<T>(stream, conv, x, y, to);
      case Pass::kInput:
        return GpuGroupedConvInput<T>(stream, conv, x, y, to);
      default:
        return GpuGroupedConvFilter<T>(stream, conv, x, y, to);
    }
  }
  PatchedConv<T> patched(ctx, conv);
  switch (pass) {
    case Pass::kForward:
      return patched.Forward(x, y, to);
    case Pass::kInput:
      return patched.BackwardInput(x, y, to);
    default:
      return patched.BackwardFilter(x, y, to);
  }
}

// kDepthwise: the filter is [rows, cols, in_depth, multiplier].  Inputs are
// input and filter; input sizes, filter and gradient; or input, filter sizes
// and gradient.
template <typename T, Pass kPass, bool kDepthwise>
class ConvOnGpu final : public OpKernel {
 public:
  explicit ConvOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    TensorShape input = ctx->input(0).shape();
    TensorShape filter = ctx->input(1).shape();
    if (kPass == Pass::kInput) {
      OP_REQUIRES_OK(ctx, InputShape(ctx, &input));
    } else if (kPass == Pass::kFilter) {
      OP_REQUIRES_OK(ctx, ConvShapeFromSizes(attrs_.op, "filter_sizes",
                                             ctx->input(1), &filter));
    }
    Conv2DDimensions dims;
    OP_REQUIRES_OK(
        ctx, kDepthwise
                 ? ComputeDepthwiseDimensions(attrs_, input, filter, &dims)
                 : ComputeConv2DDimensions(attrs_, input, filter, &dims));
    if (kPass != Pass::kForward) {
      OP_REQUIRES_OK(
          ctx, CheckConvOutBackprop(attrs_.op, dims, ctx->input(2).shape()));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0,
                                  kPass == Pass::kForward ? dims.OutputShape()
                                  : kPass == Pass::kInput ? input
                                                          : filter,
                                  &out));
    if (out->NumElements() == 0) return;
    const Tensor& a = ctx->input(kPass == Pass::kInput ? 1 : 0);
    const Tensor& b = ctx->input(kPass == Pass::kForward ? 1 : 2);
    if (a.NumElements() == 0 || b.NumElements() == 0) {
      OP_REQUIRES_OK(ctx, Clear(ctx, out));
      return;
    }
    OP_REQUIRES_OK(
        ctx, RunPass<gpu::Storage<T>>(ctx, kPass, ConvOf(dims), a, b, out));
  }

 private:
  Status InputShape(OpKernelContext* ctx, TensorShape* shape) const {
    TF_RETURN_IF_ERROR(
        ConvShapeFromSizes(attrs_.op, "input_sizes", ctx->input(0), shape));
    const TensorShape& filter = ctx->input(1).shape();
    const TensorShape& grad = ctx->input(2).shape();
    if (filter.dims() != 4 || grad.dims() != 4) {
      return errors::InvalidArgument(
          attrs_.op, ": filter and out_backprop must be 4-dimensional, got ",
          filter.DebugString(), " and ", grad.DebugString());
    }
    if (shape->dims() == 2) {  // [height, width]
      *shape =
          ShapeFromFormat(attrs_.format, grad.dim_size(0), shape->dim_size(0),
                          shape->dim_size(1), filter.dim_size(2));
    }
    return OkStatus();
  }

  WindowAttrs attrs_;
};

template <Pass kPass, bool kDepthwise>
struct Conv {
  template <typename T>
  using Op = ConvOnGpu<T, kPass, kDepthwise>;
};
using Conv2D = Conv<Pass::kForward, false>;
using Conv2DInput = Conv<Pass::kInput, false>;
using Conv2DFilter = Conv<Pass::kFilter, false>;
using Depthwise = Conv<Pass::kForward, true>;
using DepthwiseInput = Conv<Pass::kInput, true>;
using DepthwiseFilter = Conv<Pass::kFilter, true>;

#define TW_CONV_ON_GPU(builder, kernel)                                  \
  REGISTER_KERNEL_FOR_TYPES(builder.Device(DEVICE_GPU), "T", kernel::Op, \
                            Eigen::half, Eigen::bfloat16, float, double)
TW_CONV_ON_GPU(Name("Conv2D"), Conv2D);
TW_CONV_ON_GPU(Name("Conv2DBackpropInput").HostMemory("input_sizes"),
               Conv2DInput);
TW_CONV_ON_GPU(Name("Conv2DBackpropFilter").HostMemory("filter_sizes"),
               Conv2DFilter);
TW_CONV_ON_GPU(Name("DepthwiseConv2dNative"), Depthwise);
TW_CONV_ON_GPU(
    Name("DepthwiseConv2dNativeBackpropInput").HostMemory("input_sizes"),
    DepthwiseInput);
TW_CONV_ON_GPU(
    Name("DepthwiseConv2dNativeBackpropFilter").HostMemory("filter_sizes"),
    DepthwiseFilter);
#undef TW_CONV_ON_GPU

}  // namespace
}  // namespace tensorwright
