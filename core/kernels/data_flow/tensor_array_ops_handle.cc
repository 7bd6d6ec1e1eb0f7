// SPDX-License-Identifier: Apache-2.0
// Finds the array of a handle, for all three kinds.
#include "core/kernels/data_flow/tensor_array_ops_handle.h"

#include <numeric>
#include <string>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// A string handle names its array by a name that is unique in the process; the
// array lives in the run's container.
Status FindTensorArray(OpKernelContext* ctx, TensorArrayPtr* array) {
  if (ctx->step_container() == nullptr) {
    return errors::Internal(ctx->op_kernel().type_string(),
                            ": the run has no container");
  }
  const Tensor& handle = ctx->input(0);
  TensorArray* found = nullptr;
  if (handle.dtype() == DT_RESOURCE) {
    if (handle.NumElements() != 1) {
      return errors::InvalidArgument(ctx->op_kernel().type_string(),
                                     ": handle must be a scalar, got shape ",
                                     handle.shape().DebugString());
    }
    TF_RETURN_IF_ERROR(LookupResource(ctx, HandleFromInput(ctx, 0), &found));
  } else {
    if (handle.NumElements() != 2 ||
        handle.base<std::string>()[0] != TensorArray::kContainer) {
      return errors::InvalidArgument(
          ctx->op_kernel().type_string(),
          ": handle must be the two names of a TensorArray, got shape ",
          handle.shape().DebugString());
    }
    TF_RETURN_IF_ERROR(ctx->resource_manager()->Lookup(
        ctx->step_container()->name(), handle.base<std::string>()[1], &found));
  }
  array->reset(found);
  return OkStatus();
}

std::vector<int32_t> AllIndices(int32_t n) {
  std::vector<int32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace tensorwright
