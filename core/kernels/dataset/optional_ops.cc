// SPDX-License-Identifier: Apache-2.0
// Optionals: made, asked, and opened.

#include "core/kernels/dataset/optional_ops.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/variant.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The value in a DT_VARIANT tensor.
struct OptionalValue {
  std::shared_ptr<const Element> element;  // Null: nothing.
  std::string TypeName() const { return "tensorwright::Optional"; }
  std::string DebugString() const {
    if (element == nullptr) return "Optional<nothing>";
    return absl::StrCat("Optional<", element->size(), " tensors>");
  }
};

Tensor ToTensor(OptionalValue value) {
  Tensor tensor(DT_VARIANT, TensorShape());
  tensor.scalar_value<Variant>() = std::move(value);
  return tensor;
}

}  // namespace

Tensor OptionalWith(Element element) {
  return ToTensor({std::make_shared<const Element>(std::move(element))});
}

Tensor OptionalWithNothing() { return ToTensor({nullptr}); }

StatusOr<const Element*> ElementOfOptional(const Tensor& tensor) {
  if (tensor.dtype() != DT_VARIANT || tensor.dims() != 0) {
    return errors::InvalidArgument(
        "an optional must be a variant of shape [], got ",
        DataTypeString(tensor.dtype()), " of shape ",
        tensor.shape().DebugString());
  }
  const Variant& variant = tensor.scalar_value<Variant>();
  const auto* value = variant.get<OptionalValue>();
  if (value == nullptr) {
    return errors::InvalidArgument(
        "an optional was expected, got a variant that holds ",
        variant.is_empty() ? "nothing" : variant.TypeName());
  }
  return value->element.get();
}

namespace {

class OptionalNoneOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, OptionalWithNothing());
  }
};
REGISTER_KERNEL_BUILDER(Name("OptionalNone").Device(DEVICE_CPU),
                        OptionalNoneOp);

class OptionalFromValueOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Element element;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      element.push_back(ctx->input(i));
    }
    ctx->set_output(0, OptionalWith(std::move(element)));
  }
};
REGISTER_KERNEL_BUILDER(Name("OptionalFromValue").Device(DEVICE_CPU),
                        OptionalFromValueOp);

class OptionalHasValueOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const StatusOr<const Element*> element = ElementOfOptional(ctx->input(0));
    OP_REQUIRES_OK(ctx, element.status());
    ctx->set_output(0, Tensor(*element != nullptr));
  }
};
REGISTER_KERNEL_BUILDER(Name("OptionalHasValue").Device(DEVICE_CPU),
                        OptionalHasValueOp);

class OptionalGetValueOp final : public OpKernel {
 public:
  explicit OptionalGetValueOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  void Compute(OpKernelContext* ctx) override {
    const StatusOr<const Element*> found = ElementOfOptional(ctx->input(0));
    OP_REQUIRES_OK(ctx, found.status());
    OP_REQUIRES(ctx, *found != nullptr,
                errors::InvalidArgument(
                    "OptionalGetValue: the given optional does not have a "
                    "value."));
    const Element& element = **found;
    DataTypeVector dtypes;
    std::vector<PartialTensorShape> shapes;
    for (const Tensor& tensor : element) {
      dtypes.push_back(tensor.dtype());
      shapes.emplace_back(tensor.shape().dim_sizes());
    }
    OP_REQUIRES_OK(ctx, CheckDtypes(dtypes_, dtypes));
    OP_REQUIRES_OK(ctx, CheckShapes(shapes_, shapes));
    for (size_t i = 0; i < element.size(); ++i) {
      ctx->set_output(static_cast<int>(i), element[i]);
    }
  }

 private:
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("OptionalGetValue").Device(DEVICE_CPU),
                        OptionalGetValueOp);

}  // namespace
}  // namespace tensorwright
