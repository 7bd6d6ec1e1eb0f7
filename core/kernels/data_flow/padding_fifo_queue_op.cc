// SPDX-License-Identifier: Apache-2.0
// PaddingFIFOQueue: elements whose shapes are known in part.  A batch of them
// has, in each unknown dimension, the largest size among them, and zeros where
// an element is smaller.

#include <algorithm>
#include <utility>
#include <vector>

#include "core/kernels/data_flow/batch_rows.h"
#include "core/kernels/data_flow/queue_op.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class PaddingFIFOQueue final : public FIFOQueue {
 public:
  static StatusOr<PaddingFIFOQueue*> New(const NodeDef& /*node*/,
                                         QueueOptions options) {
    if (options.component_shapes.size() != options.component_dtypes.size()) {
      return errors::InvalidArgument(
          "PaddingFIFOQueue: shapes must have one shape for each of the ",
          options.component_dtypes.size(), " component types, got ",
          options.component_shapes.size());
    }
    for (const PartialTensorShape& shape : options.component_shapes) {
      if (!shape.unknown_rank()) continue;
      return errors::InvalidArgument(
          "PaddingFIFOQueue: the ranks of all components must be known");
    }
    return new PaddingFIFOQueue(std::move(options));
  }

 private:
  using FIFOQueue::FIFOQueue;

  Status Batch(int i, const std::vector<Tuple>& elements,
               Tensor* batch) const override {
    const PartialTensorShape& known = options_.component_shapes[i];
    TensorShape largest;
    for (int d = 0; d < known.dims(); ++d) {
      int64_t size = std::max<int64_t>(known.dim_size(d), 0);
      for (const Tuple& element : elements) {
        size = std::max(size, element[i].dim_size(d));
      }
      TF_RETURN_IF_ERROR(largest.AddDimWithStatus(size));
    }
    std::vector<const Tensor*> rows;
    rows.reserve(elements.size());
    for (const Tuple& element : elements) rows.push_back(&element[i]);
    return StackRows(options_.component_dtypes[i], largest, rows, batch);
  }
};

using PaddingFIFOQueueOp = QueueOp<PaddingFIFOQueue>;
REGISTER_KERNEL_BUILDER(Name("PaddingFIFOQueue").Device(DEVICE_CPU),
                        PaddingFIFOQueueOp);
REGISTER_KERNEL_BUILDER(Name("PaddingFIFOQueueV2").Device(DEVICE_CPU),
                        PaddingFIFOQueueOp);

}  // namespace
}  // namespace tensorwright
