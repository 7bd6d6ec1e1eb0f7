// SPDX-License-Identifier: Apache-2.0
// FilterDataset: the elements for which a function returns true.

#include "core/kernels/dataset/captured_function.h"

namespace tensorwright {
namespace {

class FilterDatasetOp final : public PredicateDatasetOp {
 public:
  explicit FilterDatasetOp(OpKernelConstruction* ctx)
      : PredicateDatasetOp(ctx, "Filter", AfterNo::kNext) {}
};
REGISTER_KERNEL_BUILDER(Name("FilterDataset").Device(DEVICE_CPU),
                        FilterDatasetOp);

}  // namespace
}  // namespace tensorwright
