// SPDX-License-Identifier: Apache-2.0
// RangeDataset: numbers at equal distances.

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

template <typename T>
Tensor ScalarOf(int64_t value) {
  return Tensor(static_cast<T>(value));
}

class RangeDataset final : public DatasetBase {
 public:
  RangeDataset(int64_t start, int64_t count, int64_t step,
               DataTypeVector dtypes, std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        start_(start),
        count_(count),
        step_(step) {}

  std::string Name() const override { return "Range"; }
  int64_t Cardinality() const override { return count_; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<RangeDataset> {
   public:
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext*, Element* out) override {
      if (next_ >= dataset().count_) return false;
      // Computes in unsigned numbers, which may pass the end of the signed
      // ones.
      const int64_t value =
          static_cast<int64_t>(static_cast<uint64_t>(dataset().start_) +
                               static_cast<uint64_t>(next_) *
                                   static_cast<uint64_t>(dataset().step_));
      ++next_;
      out->clear();
      switch (dataset().output_dtypes()[0]) {
        case DT_INT64:
          out->push_back(ScalarOf<int64_t>(value));
          break;
        case DT_INT32:
          out->push_back(ScalarOf<int32_t>(value));
          break;
        case DT_FLOAT:
          out->push_back(ScalarOf<float>(value));
          break;
        case DT_DOUBLE:
          out->push_back(ScalarOf<double>(value));
          break;
        default:
          return errors::Internal("RangeDataset: unexpected dtype");
      }
      return true;
    }

   private:
    int64_t next_ = 0;
  };

  const int64_t start_;
  const int64_t count_;
  const int64_t step_;
};

// The number of elements; saturates.
int64_t RangeSize(int64_t start, int64_t stop, int64_t step) {
  const auto u = [](int64_t x) { return static_cast<uint64_t>(x); };
  uint64_t size = 0;
  if (step > 0 && start < stop) {
    size = (u(stop) - u(start) - 1) / u(step) + 1;
  } else if (step < 0 && start > stop) {
    size = (u(start) - u(stop) - 1) / (0 - u(step)) + 1;
  }
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(size < kMost ? size : kMost);
}

class RangeDatasetOp final : public DatasetOpKernel {
 public:
  explicit RangeDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
    OP_REQUIRES(
        ctx,
        dtypes_.size() == 1 &&
            (dtypes_[0] == DT_INT64 || dtypes_[0] == DT_INT32 ||
             dtypes_[0] == DT_FLOAT || dtypes_[0] == DT_DOUBLE),
        errors::InvalidArgument("RangeDataset: output_types must be one of "
                                "int64, int32, float and double, got ",
                                DataTypeSliceString(dtypes_)));
    OP_REQUIRES_OK(ctx, CheckShapes(shapes_, {PartialTensorShape({})}));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    int64_t start = 0, stop = 0, step = 0;
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "start", &start));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "stop", &stop));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "step", &step));
    if (step == 0) {
      return errors::InvalidArgument(
          "RangeDataset: step must be a non-zero "
          "integer.");
    }
    return DatasetPtr(new RangeDataset(start, RangeSize(start, stop, step),
                                       step, dtypes_, shapes_));
  }

 private:
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("RangeDataset").Device(DEVICE_CPU),
                        RangeDatasetOp);

}  // namespace
}  // namespace tensorwright
