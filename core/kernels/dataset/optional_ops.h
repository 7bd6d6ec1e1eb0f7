// SPDX-License-Identifier: Apache-2.0
// An optional in a tensor: an element of a dataset, or nothing.
//
// Ownership: the tensor shares the element's tensors with its maker. Threads:
// an optional never changes.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_OPTIONAL_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_OPTIONAL_OPS_H_

#include "core/framework/tensor.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {

// A scalar DT_VARIANT tensor with `element`, or with nothing.
Tensor OptionalWith(Element element);
Tensor OptionalWithNothing();

// The element of an optional, null for nothing; it lives as long as `tensor`.
// InvalidArgument unless `tensor` is a scalar DT_VARIANT that holds an
// optional.
StatusOr<const Element*> ElementOfOptional(const Tensor& tensor);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_OPTIONAL_OPS_H_
