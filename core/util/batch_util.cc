// SPDX-License-Identifier: Apache-2.0
// Rows in and out of batches.
#include "core/util/batch_util.h"

#include <cstring>

#include "core/framework/resource_handle.h"
#include "core/framework/variant.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace batch_util {
namespace {

Status CheckFit(const Tensor& parent, const Tensor& element, int64_t index) {
  TensorShape row = parent.shape();
  if (row.dims() == 0) {
    return errors::InvalidArgument("batch_util: a batch must have rank >= 1");
  }
  row.RemoveDim(0);
  if (element.dtype() != parent.dtype() || !row.IsSameSize(element.shape())) {
    return errors::InvalidArgument(
        "batch_util: an element of ", DataTypeString(element.dtype()),
        element.shape().DebugString(), " does not fit a batch of ",
        DataTypeString(parent.dtype()), parent.shape().DebugString());
  }
  if (index < 0 || index >= parent.dim_size(0)) {
    return errors::InvalidArgument("batch_util: row ", index, " is not in [0, ",
                                   parent.dim_size(0), ")");
  }
  return OkStatus();
}

template <typename T>
void CopyElements(const void* from, void* to, int64_t from_start,
                  int64_t to_start, int64_t n) {
  std::copy_n(static_cast<const T*>(from) + from_start, n,
              static_cast<T*>(to) + to_start);
}

Status Copy(const Tensor& from, Tensor* to, int64_t from_start,
            int64_t to_start, int64_t n) {
  if (n == 0) return OkStatus();
  switch (from.dtype()) {
    case DT_STRING:
      CopyElements<std::string>(from.data(), to->data(), from_start, to_start,
                                n);
      return OkStatus();
    case DT_RESOURCE:
      CopyElements<ResourceHandle>(from.data(), to->data(), from_start,
                                   to_start, n);
      return OkStatus();
    case DT_VARIANT:
      CopyElements<Variant>(from.data(), to->data(), from_start, to_start, n);
      return OkStatus();
    default:
      break;
  }
  const int64_t size = DataTypeSize(from.dtype());
  std::memcpy(static_cast<char*>(to->data()) + to_start * size,
              static_cast<const char*>(from.data()) + from_start * size,
              n * size);
  return OkStatus();
}

}  // namespace

Status CopyElementToSlice(const Tensor& element, Tensor* parent,
                          int64_t index) {
  TF_RETURN_IF_ERROR(CheckFit(*parent, element, index));
  const int64_t n = element.NumElements();
  return Copy(element, parent, 0, index * n, n);
}

Status CopySliceToElement(const Tensor& parent, Tensor* element,
                          int64_t index) {
  TF_RETURN_IF_ERROR(CheckFit(parent, *element, index));
  const int64_t n = element->NumElements();
  return Copy(parent, element, index * n, 0, n);
}

Status MaybeMoveSliceToElement(Tensor* parent, Tensor* element, int64_t index) {
  return CopySliceToElement(*parent, element, index);
}

}  // namespace batch_util
}  // namespace tensorwright
