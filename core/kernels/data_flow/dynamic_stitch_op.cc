// SPDX-License-Identifier: Apache-2.0
// DynamicStitch: makes one tensor from slices with their positions.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/kernels/lib/index_util.h"

namespace tensorwright {
namespace {

class DynamicStitchOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    OpInputList indices, data;
    OP_REQUIRES_OK(ctx, ctx->input_list("indices", &indices));
    OP_REQUIRES_OK(ctx, ctx->input_list("data", &data));
    TensorShape shape;
    int64_t slice = 1;
    OP_REQUIRES_OK(ctx, MergedShape(indices, data, &shape, &slice));
    Tensor* merged = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &merged));
    if (merged->NumElements() == 0) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(merged->dtype(), [&]<typename T>(ElementTag<T>) {
          T* to = merged->base<T>();
          std::vector<bool> written(shape.dim_size(0));
          for (int i = 0; i < indices.size(); ++i) {
            const T* from = data[i].base<T>();
            for (int32_t index : Flat<int32_t>(indices[i])) {
              CopyRun(from, slice, to + index * slice);
              written[index] = true;
              from += slice;
            }
          }
          // Slices that no index names are zero, so that results do not depend
          // on the old contents of memory.
          for (size_t row = 0; row < written.size(); ++row) {
            if (!written[row]) std::fill_n(to + row * slice, slice, T());
          }
        }));
  }

 private:
  // Sets *shape to [max index + 1] + rest, where data[i] has shape
  // indices[i].shape + rest.
  static Status MergedShape(const OpInputList& indices, const OpInputList& data,
                            TensorShape* shape, int64_t* slice) {
    int64_t max_index = -1;
    TensorShape rest;
    for (int i = 0; i < indices.size(); ++i) {
      if (!TensorShapeUtils::StartsWith(data[i].shape(), indices[i].shape())) {
        return errors::InvalidArgument(
            "data[", i, "].shape = ", data[i].shape().DebugString(),
            " does not start with indices[", i,
            "].shape = ", indices[i].shape().DebugString());
      }
      TensorShape this_rest;
      for (int d = indices[i].dims(); d < data[i].dims(); ++d) {
        TF_RETURN_IF_ERROR(this_rest.AddDimWithStatus(data[i].dim_size(d)));
      }
      if (i == 0) rest = this_rest;
      if (this_rest != rest) {
        return errors::InvalidArgument(
            "Need data[0].shape[", indices[0].dims(), ":] = data[", i,
            "].shape[", indices[i].dims(),
            ":], got data[0].shape = ", data[0].shape().DebugString(),
            ", data[", i, "].shape = ", data[i].shape().DebugString());
      }
      const absl::Span<const int32_t> index = Flat<int32_t>(indices[i]);
      for (size_t j = 0; j < index.size(); ++j) {
        if (index[j] < 0) {
          return errors::InvalidArgument("indices[", i, "]",
                                         PositionString(indices[i].shape(), j),
                                         " = ", index[j], " must be >= 0");
        }
        max_index = std::max<int64_t>(max_index, index[j]);
      }
    }
    *slice = rest.num_elements();
    *shape = TensorShape({max_index + 1});
    return shape->AppendShapeWithStatus(rest);
  }
};
REGISTER_KERNEL_BUILDER(Name("DynamicStitch").Device(DEVICE_CPU),
                        DynamicStitchOp);
REGISTER_HOST_INT32_ON_GPU(Name("DynamicStitch")
                               .HostMemory("indices")
                               .HostMemory("data")
                               .HostMemory("merged"),
                           "T", DynamicStitchOp);

}  // namespace
}  // namespace tensorwright
