// SPDX-License-Identifier: Apache-2.0
// The same elements in another shape: Reshape, QuantizedReshape, ExpandDims,
// Squeeze.  The output shares the input's buffer.

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

void SetReshaped(OpKernelContext* ctx, const TensorShape& shape) {
  Tensor out(ctx->input(0).dtype());
  OP_REQUIRES(
      ctx, out.CopyFrom(ctx->input(0), shape),
      errors::Internal("reshape from ", ctx->input(0).shape().DebugString(),
                       " to ", shape.DebugString()));
  ctx->set_output(0, std::move(out));
}

// `elements` laid out as `sizes`, of which at most one is -1.
template <typename Index>
Status ResolveShape(absl::Span<const Index> sizes, int64_t elements,
                    TensorShape* out) {
  TensorShape shape;
  int unknown = -1;
  bool has_zero = false;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    if (sizes[i] == -1) {
      if (unknown >= 0) {
        return errors::InvalidArgument(
            "Reshape: Only one input size may be -1, not both ", unknown,
            " and ", i);
      }
      unknown = i;
      shape.AddDim(1);
      continue;
    }
    if (sizes[i] < 0) {
      return errors::InvalidArgument("Reshape: Size ", i,
                                     " must be non-negative, not ", sizes[i]);
    }
    has_zero |= sizes[i] == 0;
    TF_RETURN_IF_ERROR(shape.AddDimWithStatus(sizes[i]));
  }
  if (unknown >= 0) {
    if (has_zero) {
      return errors::InvalidArgument(
          "Reshape: cannot infer the missing input size for an empty tensor "
          "unless all specified input sizes are non-zero");
    }
    const int64_t known = shape.num_elements();
    if (elements % known != 0) {
      return errors::InvalidArgument(
          "Input to reshape is a tensor with ", elements,
          " values, but the requested shape requires a multiple of ", known);
    }
    TF_RETURN_IF_ERROR(shape.SetDimWithStatus(unknown, elements / known));
  }
  if (shape.num_elements() != elements) {
    return errors::InvalidArgument(
        "Input to reshape is a tensor with ", elements,
        " values, but the requested shape has ", shape.num_elements());
  }
  *out = shape;
  return OkStatus();
}

// Output 0 is input 0 in the shape that input 1 holds.
void Reshape(OpKernelContext* ctx) {
  const Tensor& input = ctx->input(0);
  const Tensor& sizes = ctx->input(1);
  OP_REQUIRES(ctx, sizes.dims() == 1,
              errors::InvalidArgument("Reshape: shape must be 1-D, got ",
                                      sizes.shape().DebugString()));
  TensorShape shape;
  OP_REQUIRES_OK(
      ctx,
      sizes.dtype() == DT_INT32
          ? ResolveShape(Flat<int32_t>(sizes), input.NumElements(), &shape)
          : ResolveShape(Flat<int64_t>(sizes), input.NumElements(), &shape));
  SetReshaped(ctx, shape);
}

class ReshapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override { Reshape(ctx); }
  bool IsExpensive() override { return false; }
};
REGISTER_PASSING_KERNEL(Name("Reshape").HostMemory("shape"), "T", ReshapeOp,
                        "tensor", "output");

// The ends of the range go through as scalars.
class QuantizedReshapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int i : {2, 3}) {
      const Tensor& end = ctx->input(i);
      OP_REQUIRES(ctx, end.dims() <= 1 && end.NumElements() == 1,
                  errors::InvalidArgument(
                      "QuantizedReshape: ", i == 2 ? "input_min" : "input_max",
                      " must be a scalar or a vector of 1 element, got shape ",
                      end.shape().DebugString()));
      Tensor* out = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i - 1, TensorShape({}), &out));
      *out->base<float>() = *end.base<float>();
    }
    Reshape(ctx);
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(
    Name("QuantizedReshape").Device(DEVICE_CPU).HostMemory("shape"),
    QuantizedReshapeOp);

class ExpandDimsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dim_tensor = ctx->input(1);
    OP_REQUIRES(ctx, dim_tensor.NumElements() == 1,
                errors::InvalidArgument("'dim' must be a tensor with a single "
                                        "value, got shape ",
                                        dim_tensor.shape().DebugString()));
    int64_t dim = IntOf(dim_tensor);
    TensorShape shape = ctx->input(0).shape();
    const int rank = shape.dims();
    OP_REQUIRES(
        ctx, dim >= -1 - rank && dim <= rank,
        errors::InvalidArgument("Tried to expand dim index ", dim,
                                " for tensor with ", rank, " dimensions."));
    if (dim < 0) dim += rank + 1;
    OP_REQUIRES_OK(ctx, shape.InsertDimWithStatus(static_cast<int>(dim), 1));
    SetReshaped(ctx, shape);
  }
  bool IsExpensive() override { return false; }
};
REGISTER_PASSING_KERNEL(Name("ExpandDims").HostMemory("dim"), "T", ExpandDimsOp,
                        "input", "output");

class SqueezeOp final : public OpKernel {
 public:
  explicit SqueezeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("squeeze_dims", &squeeze_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const TensorShape& in = ctx->input(0).shape();
    const int rank = in.dims();
    absl::InlinedVector<bool, 8> drop(rank, false);
    for (int32_t dim : squeeze_dims_) {
      OP_REQUIRES(
          ctx, dim >= -rank && dim < rank,
          errors::InvalidArgument("Tried to squeeze dim index ", dim,
                                  " for tensor with ", rank, " dimensions."));
      drop[dim < 0 ? dim + rank : dim] = true;
    }
    TensorShape shape;
    for (int i = 0; i < rank; ++i) {
      const int64_t size = in.dim_size(i);
      if (drop[i]) {
        OP_REQUIRES(ctx, size == 1,
                    errors::InvalidArgument(
                        "Can not squeeze dim[", i,
                        "], expected a dimension of 1, got ", size));
      } else if (size != 1 || !squeeze_dims_.empty()) {
        shape.AddDim(size);
      }
    }
    SetReshaped(ctx, shape);
  }
  bool IsExpensive() override { return false; }

 private:
  std::vector<int32_t> squeeze_dims_;
};
REGISTER_PASSING_KERNEL(Name("Squeeze"), "T", SqueezeOp, "input", "output");

}  // namespace
}  // namespace tensorwright
