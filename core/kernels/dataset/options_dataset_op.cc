// SPDX-License-Identifier: Apache-2.0
// OptionsDataset: sets how the datasets below it are iterated: threads, order
// and buffers.  Its elements are those of its input.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/framework/dataset_options.pb.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/lib/repeatable.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/cpu_info.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

// At most this many threads are started for one iterator.
constexpr int kMostThreads = 1024;

class OptionsDataset final : public UnaryDataset {
 public:
  OptionsDataset(DatasetPtr input, data::Options options)
      : UnaryDataset(std::move(input)), options_(std::move(options)) {}

  std::string Name() const override { return "Options"; }
  int64_t Cardinality() const override { return input().Cardinality(); }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    IteratorContext below = *ctx;
    made->threads = Threads();
    if (made->threads != nullptr) below.threads = made->threads.get();
    if (options_.has_deterministic()) {
      below.deterministic = options_.deterministic();
    }
    const data::AutotuneOptions& autotune = options_.autotune_options();
    if (autotune.has_enabled()) below.autotune = autotune.enabled();
    if (autotune.has_ram_budget() && autotune.ram_budget() > 0) {
      below.ram_budget = autotune.ram_budget();
    }
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(&below));
    made->below = below;
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<OptionsDataset> {
    using DatasetIterator::DatasetIterator;

    bool IsReady() override { return input->IsReady(); }

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      IteratorContext context = below;
      context.cancellation = ctx->cancellation;
      return input->GetNext(&context, out);
    }

    // Destroyed last: the members below use it.
    std::unique_ptr<thread::ThreadPool> threads;
    std::unique_ptr<IteratorBase> input;
    IteratorContext below;
  };

  // The iterator's own pool, or null.  0 threads mean as many as there are
  // cores.
  std::unique_ptr<thread::ThreadPool> Threads() const {
    const data::ThreadingOptions& threading = options_.threading_options();
    if (!threading.has_private_threadpool_size()) return nullptr;
    int n = threading.private_threadpool_size();
    if (n <= 0) n = port::MaxParallelism();
    return std::make_unique<thread::ThreadPool>(
        Env::Default(), "dataset_private", std::min(n, kMostThreads));
  }

  const data::Options options_;
};

class OptionsDatasetOp final : public DatasetOpKernel {
 public:
  explicit OptionsDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    std::string bytes;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("serialized_options", &bytes));
    OP_REQUIRES(
        ctx, options_.ParseFromString(bytes),
        errors::InvalidArgument(
            "OptionsDataset: serialized_options is not a message of Options"));
    const data::ThreadingOptions& threading = options_.threading_options();
    OP_REQUIRES(
        ctx,
        threading.private_threadpool_size() >= 0 &&
            threading.max_intra_op_parallelism() >= 0,
        errors::InvalidArgument("OptionsDataset: `private_threadpool_size` and "
                                "`max_intra_op_parallelism` must be >= 0, got ",
                                threading.private_threadpool_size(), " and ",
                                threading.max_intra_op_parallelism()));
  }

 private:
  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    if (options_.has_deterministic() && !options_.deterministic()) {
      TF_RETURN_IF_ERROR(RefuseIfMustRepeat(
          ctx, "its options say that elements may come in any order"));
    }
    return DatasetPtr(new OptionsDataset(std::move(input), options_));
  }

  data::Options options_;
};
REGISTER_KERNEL_BUILDER(Name("OptionsDataset").Device(DEVICE_CPU),
                        OptionsDatasetOp);

}  // namespace
}  // namespace tensorwright
