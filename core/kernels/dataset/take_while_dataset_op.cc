// SPDX-License-Identifier: Apache-2.0
// TakeWhileDataset: the elements before the first for which a function returns
// false.

#include "core/kernels/dataset/captured_function.h"

namespace tensorwright {
namespace {

class TakeWhileDatasetOp final : public PredicateDatasetOp {
 public:
  explicit TakeWhileDatasetOp(OpKernelConstruction* ctx)
      : PredicateDatasetOp(ctx, "TakeWhile", AfterNo::kEnd) {}
};
REGISTER_KERNEL_BUILDER(Name("TakeWhileDataset").Device(DEVICE_CPU),
                        TakeWhileDatasetOp);

}  // namespace
}  // namespace tensorwright
