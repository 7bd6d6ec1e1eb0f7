// SPDX-License-Identifier: Apache-2.0
// Convolution in two and three dimensions on a CPU: the sizes and computations
// that the kernels of Conv2D, Conv3D, DepthwiseConv2dNative and their gradients
// share.
//
// float runs by the algorithm that conv_ops_choose.h chooses; half and bfloat16
// are converted to float and back; double and int32 run as patches times filter
// matrix (conv_ops_generic.cc).
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_shape.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/util/tensor_format.h"
#include "core/util/window_attrs.h"
#include "core/util/window_geometry.h"

namespace tensorwright {

// All sizes of one convolution.
//   input  [batch, rows.input, cols.input, in_depth] (or NCHW)
//   filter [rows.filter, cols.filter, in_depth / groups, out_depth]
//   output [batch, rows.output, cols.output, out_depth] (or NCHW)
// With three spatial dimensions, planes before the rows; else there is one
// plane.
struct Conv2DDimensions {
  TensorFormat format = FORMAT_NHWC;
  int64_t batch = 0;
  int64_t in_depth = 0;
  int64_t out_depth = 0;
  int64_t groups = 1;
  bool has_planes = false;
  WindowDim planes{.input = 1, .filter = 1, .output = 1};
  WindowDim rows;
  WindowDim cols;

  int64_t filter_depth() const { return in_depth / groups; }
  int64_t group_out_depth() const { return out_depth / groups; }
  int64_t patch_size() const {
    return planes.filter * rows.filter * cols.filter * filter_depth();
  }
  int64_t input_pixels() const {
    return planes.input * rows.input * cols.input;
  }
  int64_t output_pixels() const {
    return planes.output * rows.output * cols.output;
  }
  TensorShape InputShape() const;
  TensorShape OutputShape() const;
  // Multiplications and additions of the forward pass; each gradient has as
  // many.
  double Flops() const;
};

// Computes the sizes, and checks what the shape functions check, because
// input_sizes and filter_sizes are values.  The shapes say whether there are
// two or three spatial dimensions.
Status ComputeConv2DDimensions(const WindowAttrs& attrs,
                               const TensorShape& input,
                               const TensorShape& filter,
                               Conv2DDimensions* dims);

// Computes the sizes for a depthwise filter [rows, cols, in_depth, multiplier],
// with which every channel is a group of its own.
Status ComputeDepthwiseDimensions(const WindowAttrs& attrs,
                                  const TensorShape& input,
                                  const TensorShape& filter,
                                  Conv2DDimensions* dims);

// Makes a shape from `sizes`, the argument `name` of `op`, a vector of int32 or
// int64.  InvalidArgument if a size is negative or the shape overflows.
Status ConvShapeFromSizes(const std::string& op, const char* name,
                          const Tensor& sizes, TensorShape* shape);

// InvalidArgument unless out_backprop has the shape of the output.
Status CheckConvOutBackprop(const std::string& op, const Conv2DDimensions& dims,
                            const TensorShape& out_backprop);

// output = input * filter.  Every size is positive.  T: float, double, int32.
template <typename T>
Status Conv2DForward(OpKernelContext* ctx, const Conv2DDimensions& dims,
                     const T* input, const T* filter, T* output);

// Keeps a copy of a filter that is a constant or a variable, in the order of
// elements that the convolution needs, until the filter changes.  Each kernel
// with such a filter owns one.  Thread-safe.
class KeptFilter {
 public:
  // Null unless an attr of the node says that its filter is a constant of the
  // plan or a variable (core/graph/passes/kept_filter_pass.cc).
  static std::unique_ptr<KeptFilter> ForNode(const NodeDef& def);

  virtual ~KeptFilter() = default;
};

// Additional arguments of Conv2DForwardFloat, which is Conv2DForward for
// floats; both may be null.
struct Conv2DExtras {
  const float* bias = nullptr;  // bias[d] is added to output depth d.
  KeptFilter* kept = nullptr;   // Keeps `filter`.
};
Status Conv2DForwardFloat(OpKernelContext* ctx, const Conv2DDimensions& dims,
                          const float* input, const float* filter,
                          const Conv2DExtras& extras, float* output);

// Compute the gradients.  input_grad[x] is the sum of output_grad times filter
// element over all outputs to which input element x contributed; filter_grad
// likewise.
template <typename T>
Status Conv2DBackwardInput(OpKernelContext* ctx, const Conv2DDimensions& dims,
                           const T* filter, const T* output_grad,
                           T* input_grad);

template <typename T>
Status Conv2DBackwardFilter(OpKernelContext* ctx, const Conv2DDimensions& dims,
                            const T* input, const T* output_grad,
                            T* filter_grad);

// Does the work of a kernel on tensors whose shapes have been checked; handles
// empty tensors, and converts half and bfloat16 to float and back.
template <typename T>
Status RunConvForward(OpKernelContext* ctx, const Conv2DDimensions& dims,
                      const Tensor& input, const Tensor& filter,
                      Tensor* output) {
  if (output->NumElements() == 0) return OkStatus();
  if (input.NumElements() == 0) {  // The output gets padding only.
    std::fill_n(output->base<T>(), output->NumElements(), T(0));
    return OkStatus();
  }
  if constexpr (kIsStorageOnly<T>) {
    const auto run = [&](const float* a, const float* b, float* c) {
      return Conv2DForward<float>(ctx, dims, a, b, c);
    };
    return RunAsFloat<T>(ctx, input, filter, output, run);
  } else {
    return Conv2DForward<T>(ctx, dims, input.base<T>(), filter.base<T>(),
                            output->base<T>());
  }
}

template <typename T>
Status RunConvBackwardInput(OpKernelContext* ctx, const Conv2DDimensions& dims,
                            const Tensor& filter, const Tensor& out_backprop,
                            Tensor* output) {
  if (output->NumElements() == 0) return OkStatus();
  if (out_backprop.NumElements() == 0) {
    std::fill_n(output->base<T>(), output->NumElements(), T(0));
    return OkStatus();
  }
  if constexpr (kIsStorageOnly<T>) {
    const auto run = [&](const float* a, const float* b, float* c) {
      return Conv2DBackwardInput<float>(ctx, dims, a, b, c);
    };
    return RunAsFloat<T>(ctx, filter, out_backprop, output, run);
  } else {
    return Conv2DBackwardInput<T>(ctx, dims, filter.base<T>(),
                                  out_backprop.base<T>(), output->base<T>());
  }
}

template <typename T>
Status RunConvBackwardFilter(OpKernelContext* ctx, const Conv2DDimensions& dims,
                             const Tensor& input, const Tensor& out_backprop,
                             Tensor* output) {
  if (output->NumElements() == 0) return OkStatus();
  if (input.NumElements() == 0 || out_backprop.NumElements() == 0) {
    std::fill_n(output->base<T>(), output->NumElements(), T(0));
    return OkStatus();
  }
  if constexpr (kIsStorageOnly<T>) {
    const auto run = [&](const float* a, const float* b, float* c) {
      return Conv2DBackwardFilter<float>(ctx, dims, a, b, c);
    };
    return RunAsFloat<T>(ctx, input, out_backprop, output, run);
  } else {
    return Conv2DBackwardFilter<T>(ctx, dims, input.base<T>(),
                                   out_backprop.base<T>(), output->base<T>());
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_H_
