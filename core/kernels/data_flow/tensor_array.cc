// SPDX-License-Identifier: Apache-2.0
// TensorArray.
#include "core/kernels/data_flow/tensor_array.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/numeric_types.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// An index is an int32, and an array of that many elements is a mistake.
constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();

template <typename... T>
BinaryLoopFn AddLoopOf(DataType dtype) {
  BinaryLoopFn loop = nullptr;
  ((DataTypeToEnum<T>::value == dtype
        ? void(loop = &BinaryLoop<functor::Add, T>)
        : void()),
   ...);
  return loop;
}

BinaryLoopFn AddLoop(DataType dtype) {
  return AddLoopOf<float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t,
                   int32_t, int64_t, uint8_t, uint16_t, complex64, complex128>(
      dtype);
}

}  // namespace

TensorArray::TensorArray(std::string name, TensorArrayOptions options,
                         int64_t size)
    : name_(std::move(name)),
      handle_(DT_STRING, TensorShape({2})),
      options_(std::move(options)),
      elements_(size) {
  handle_.base<std::string>()[0] = kContainer;
  handle_.base<std::string>()[1] = name_;
}

Status TensorArray::Error(absl::string_view what) const {
  return errors::InvalidArgument("TensorArray ", name_, ": ", what);
}

Status TensorArray::CheckOpen() const {
  return closed_ ? Error("is closed") : OkStatus();
}

Status TensorArray::Write(OpKernelContext* ctx,
                          absl::Span<const int32_t> indices,
                          absl::Span<const Tensor> values) {
  mutex_lock lock(mu_);
  TF_RETURN_IF_ERROR(CheckOpen());
  for (size_t i = 0; i < indices.size(); ++i) {
    TF_RETURN_IF_ERROR(WriteOne(ctx, indices[i], values[i]));
  }
  return OkStatus();
}

Status TensorArray::WriteOne(OpKernelContext* ctx, int32_t index,
                             const Tensor& value) {
  if (index < 0 || static_cast<size_t>(index) >= elements_.size()) {
    if (!options_.dynamic_size) {
      return Error(absl::StrCat(
          "Tried to write to index ", index,
          " but array is not resizeable and size is: ", elements_.size()));
    }
    if (index < 0) {
      return Error(absl::StrCat("Tried to write to index ", index,
                                ", which must be >= 0"));
    }
    elements_.resize(int64_t{index} + 1);
  }
  if (value.dtype() != options_.dtype) {
    return Error(absl::StrCat(
        "TensorArray dtype is ", DataTypeString(options_.dtype),
        " but Op is trying to write dtype ", DataTypeString(value.dtype())));
  }
  if (!options_.element_shape.IsCompatibleWith(value.shape())) {
    return Error(absl::StrCat("value must fit the element shape ",
                              options_.element_shape.DebugString(), ", got ",
                              value.shape().DebugString(), " for index ", index,
                              " (infer_shape=False lets elements differ)"));
  }
  Element& element = elements_[index];
  if (element.read) {
    return Error(absl::StrCat("Could not write to TensorArray index ", index,
                              " because it has already been read."));
  }
  if (element.written) {
    if (options_.is_gradient) return AddTo(ctx, index, value);
    return Error(absl::StrCat("Could not write to TensorArray index ", index,
                              " because it has already been written to."));
  }
  if (options_.identical_element_shapes) {
    options_.element_shape = PartialTensorShape(value.shape());
  }
  element.value = value;
  element.shape = value.shape();
  element.written = true;
  return OkStatus();
}

Status TensorArray::AddTo(OpKernelContext* ctx, int32_t index,
                          const Tensor& value) {
  Element& element = elements_[index];
  if (element.value.shape() != value.shape()) {
    return Error(absl::StrCat(
        "Could not aggregate to TensorArray index ", index,
        " because the existing shape is ", element.value.shape().DebugString(),
        " but the new input shape is ", value.shape().DebugString()));
  }
  const BinaryLoopFn add = AddLoop(options_.dtype);
  if (add == nullptr) {
    return Error(absl::StrCat("elements of type ",
                              DataTypeString(options_.dtype),
                              " cannot be added up."));
  }
  Tensor sum;
  // The value written first may have other readers.
  if (!element.value.RefCountIsOne()) {
    TF_RETURN_IF_ERROR(ctx->allocate_temp(options_.dtype, value.shape(), &sum));
  } else {
    sum = element.value;
  }
  add(element.value.data(), value.data(), sum.data(), value.NumElements(), 1,
      1);
  element.value = std::move(sum);
  return OkStatus();
}

Status TensorArray::Read(OpKernelContext* ctx,
                         absl::Span<const int32_t> indices,
                         std::vector<Tensor>* values) {
  mutex_lock lock(mu_);
  TF_RETURN_IF_ERROR(CheckOpen());
  values->resize(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    TF_RETURN_IF_ERROR(ReadOne(ctx, indices[i], &(*values)[i]));
  }
  return OkStatus();
}

Status TensorArray::ReadOne(OpKernelContext* ctx, int32_t index,
                            Tensor* value) {
  if (index < 0 || static_cast<size_t>(index) >= elements_.size()) {
    return Error(absl::StrCat("Tried to read from index ", index,
                              " but array size is: ", elements_.size()));
  }
  Element& element = elements_[index];
  if (element.cleared) {
    return Error(
        absl::StrCat("Could not read index ", index,
                     " twice because it was cleared after a previous read "
                     "(clear_after_read=False keeps elements)"));
  }
  if (!element.written) return Zeros(ctx, index, value);
  *value = element.value;
  element.read = true;
  if (options_.clear_after_read) {
    element.value = Tensor();
    element.cleared = true;
  }
  return OkStatus();
}

Status TensorArray::Zeros(OpKernelContext* ctx, int32_t index, Tensor* value) {
  PartialTensorShape known;
  TensorShape shape;
  if (!options_.element_shape.MergeWith(elements_[index].shape, &known).ok() ||
      !known.AsTensorShape(&shape)) {
    return Error(absl::StrCat(
        "Could not read from TensorArray index ", index,
        ", which was never written, and there are no zeros for it: the element "
        "shape is not fully defined: ",
        options_.element_shape.DebugString()));
  }
  TF_RETURN_IF_ERROR(ctx->allocate_temp(options_.dtype, shape, value));
  if (DataTypeCanUseMemcpy(options_.dtype) && value->NumElements() > 0) {
    std::memset(value->data(), 0, value->TotalBytes());
  }
  return OkStatus();
}

Status TensorArray::Reserve(int64_t size) {
  mutex_lock lock(mu_);
  TF_RETURN_IF_ERROR(CheckOpen());
  if (size > kMaxSize) {
    return Error(absl::StrCat("cannot have ", size, " elements"));
  }
  if (options_.dynamic_size && size > static_cast<int64_t>(elements_.size())) {
    elements_.resize(size);
  }
  return OkStatus();
}

Status TensorArray::Size(int32_t* size) {
  mutex_lock lock(mu_);
  TF_RETURN_IF_ERROR(CheckOpen());
  *size = static_cast<int32_t>(elements_.size());
  return OkStatus();
}

void TensorArray::Close() {
  mutex_lock lock(mu_);
  elements_.clear();
  closed_ = true;
}

Status TensorArray::PrepareGradient(TensorArrayOptions* options,
                                    int64_t* size) {
  mutex_lock lock(mu_);
  TF_RETURN_IF_ERROR(CheckOpen());
  *options = options_;
  options->dynamic_size = false;
  options->clear_after_read = true;
  options->is_gradient = true;
  *size = static_cast<int64_t>(elements_.size());
  return OkStatus();
}

Status TensorArray::TakeShapes(TensorArray* forward) {
  std::vector<PartialTensorShape> shapes;
  {
    mutex_lock lock(forward->mu_);
    TF_RETURN_IF_ERROR(forward->CheckOpen());
    for (const Element& e : forward->elements_) shapes.push_back(e.shape);
  }
  mutex_lock lock(mu_);
  TF_RETURN_IF_ERROR(CheckOpen());
  for (size_t i = 0; i < std::min(shapes.size(), elements_.size()); ++i) {
    if (!elements_[i].written) elements_[i].shape = shapes[i];
  }
  return OkStatus();
}

PartialTensorShape TensorArray::element_shape() {
  mutex_lock lock(mu_);
  return options_.element_shape;
}

std::string TensorArray::DebugString() {
  mutex_lock lock(mu_);
  return absl::StrCat("TensorArray[", name_, "] of ", elements_.size());
}

}  // namespace tensorwright
