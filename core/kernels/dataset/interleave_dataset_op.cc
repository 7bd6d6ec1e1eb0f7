// SPDX-License-Identifier: Apache-2.0
// InterleaveDataset: the datasets that a function makes, several in turn.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/background_iterator.h"
#include "core/kernels/dataset/captured_function.h"
#include "core/kernels/dataset/determinism.h"

namespace tensorwright {
namespace {

// A cycle_length that is left to us.
constexpr int64_t kAutotune = -1;
constexpr int64_t kCycle = 4;
// The number of elements read ahead in each dataset, if that is wanted.
constexpr int64_t kReadAhead = 16;
constexpr int64_t kMostReadAhead = 1 << 20;
// At most this many datasets are open at a time: a cycle grows as its datasets
// come.
constexpr int64_t kMostOpen = 1 << 20;
// At most this many datasets have a thread each.
constexpr int64_t kMostThreads = 256;

class InterleaveDataset final : public UnaryDataset {
 public:
  InterleaveDataset(DatasetPtr input,
                    std::unique_ptr<CapturedFunction> function,
                    int64_t cycle_length, int64_t block_length, bool ahead,
                    int64_t read_ahead, DataTypeVector dtypes,
                    std::vector<PartialTensorShape> shapes)
      : UnaryDataset(std::move(input), std::move(dtypes), std::move(shapes)),
        function_(std::move(function)),
        cycle_length_(cycle_length),
        block_length_(block_length),
        ahead_(ahead),
        read_ahead_(read_ahead == kAutotune ? std::max(block_length, kReadAhead)
                                            : read_ahead) {}

  std::string Name() const override { return "Interleave"; }
  bool MayWait() const override { return true; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(made->function, function_->Instantiate(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<InterleaveDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (dataset().ahead_ && next == 0) TF_RETURN_IF_ERROR(OpenAll(ctx));
      // Goes on until there is no input, and no dataset in the cycle.
      while (input != nullptr || open > 0) {
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled("InterleaveDataset: was cancelled");
        }
        if (at == cycle.size()) cycle.emplace_back();
        if (cycle[at] != nullptr) {
          const StatusOr<bool> more = cycle[at]->GetNext(ctx, out);
          if (!more.ok()) {
            TakeOne();
            return more;
          }
          if (*more) {
            TakeOne();
            return true;
          }
          cycle[at] = nullptr;
          --open;
          Advance();
          continue;
        }
        if (input == nullptr) {
          Advance();
          continue;
        }
        TF_RETURN_IF_ERROR(Open(ctx));
      }
      return false;
    }

    // The next dataset takes the current place in the turn.
    Status Open(IteratorContext* ctx) {
      Element args;
      TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &args));
      if (!more) {
        input = nullptr;
        return OkStatus();
      }
      const int64_t index = next++;
      StatusOr<DatasetPtr> made = function->RunDataset(ctx, std::move(args));
      Status status = made.status();
      if (status.ok()) {
        status =
            CheckDtypes(dataset().output_dtypes(), (*made)->output_dtypes());
      }
      if (!status.ok()) return AtElement(status, "InterleaveDataset", index);
      TF_ASSIGN_OR_RETURN(auto one, MakeInnerIterator(ctx, **made));
      if (dataset().ahead_) {
        auto background = std::make_unique<BackgroundIterator>(
            *ctx, std::move(one), dataset().read_ahead_);
        background->Start();
        one = std::move(background);
      }
      cycle[at] = std::move(one);
      ++open;
      return OkStatus();
    }

    // The first datasets take their places at once, since the turn comes to
    // each place before it comes to one again.
    Status OpenAll(IteratorContext* ctx) {
      while (input != nullptr &&
             static_cast<int64_t>(cycle.size()) < dataset().cycle_length_) {
        at = cycle.size();
        cycle.emplace_back();
        const Status status = Open(ctx);
        at = 0;
        TF_RETURN_IF_ERROR(status);
      }
      return OkStatus();
    }

    void TakeOne() {
      if (++taken == dataset().block_length_) Advance();
    }
    void Advance() {
      taken = 0;
      ++at;
      if (static_cast<int64_t>(at) == dataset().cycle_length_ ||
          (input == nullptr && at >= cycle.size())) {
        at = 0;
      }
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> function;
    std::vector<std::unique_ptr<IteratorBase>> cycle;
    int64_t open = 0;
    size_t at = 0;
    int64_t taken = 0;
    int64_t next = 0;
  };

  const std::unique_ptr<CapturedFunction> function_;
  const int64_t cycle_length_;
  const int64_t block_length_;
  const bool ahead_;          // Are datasets read in threads of their own?
  const int64_t read_ahead_;  // How many elements of each, at most.
};

class InterleaveDatasetOp final : public FunctionDatasetOp {
 public:
  explicit InterleaveDatasetOp(OpKernelConstruction* ctx)
      : FunctionDatasetOp(ctx, "f") {
    is_parallel_ = type_string() != "InterleaveDataset";
    if (ctx->HasAttr("deterministic")) {
      OP_REQUIRES_OK(ctx, CheckDeterministic(ctx));
    }
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    std::unique_ptr<CapturedFunction> function;
    int64_t cycle_length = 0, block_length = 0;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(Function(ctx, &function));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "cycle_length", &cycle_length));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "block_length", &block_length));
    int64_t calls = 1, read_ahead = kAutotune;
    if (type_string() == "ParallelInterleaveDatasetV4") {
      TF_RETURN_IF_ERROR(ReadAheads(ctx, &read_ahead));
    }
    if (is_parallel_) {
      TF_RETURN_IF_ERROR(ScalarArgument(ctx, "num_parallel_calls", &calls));
      if (calls != kAutotune && (calls <= 0 || calls > cycle_length) &&
          !(calls > 0 && cycle_length == kAutotune)) {
        return errors::InvalidArgument(
            type_string(),
            ": `num_parallel_calls` must be > 0 and <= cycle_length ",
            cycle_length, ", or -1, got ", calls);
      }
    }
    if (cycle_length == kAutotune) cycle_length = kCycle;
    const int64_t most = is_parallel_ ? kMostThreads : kMostOpen;
    if (cycle_length <= 0 || cycle_length > most) {
      return errors::InvalidArgument(
          type_string(), ": `cycle_length` must be > 0 and <= ", most, ", got ",
          cycle_length);
    }
    if (block_length <= 0) {
      return errors::InvalidArgument(
          type_string(), ": `block_length` must be > 0, got ", block_length);
    }
    return DatasetPtr(new InterleaveDataset(
        std::move(input), std::move(function), cycle_length, block_length,
        is_parallel_, read_ahead, output_dtypes_, output_shapes_));
  }

 private:
  // Both are -1 where they are left to us.  What is read ahead of the input
  // makes no thread of its own.
  Status ReadAheads(OpKernelContext* ctx, int64_t* outputs) const {
    int64_t inputs = 0;
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "buffer_output_elements", outputs));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "prefetch_input_elements", &inputs));
    if (*outputs != kAutotune && *outputs <= 0) {
      return errors::InvalidArgument(
          type_string(), ": `buffer_output_elements` must be > 0 or -1, got ",
          *outputs);
    }
    if (inputs < kAutotune) {
      return errors::InvalidArgument(
          type_string(), ": `prefetch_input_elements` must be >= 0 or -1, got ",
          inputs);
    }
    *outputs = std::min(*outputs, kMostReadAhead);
    return OkStatus();
  }

  bool is_parallel_ = false;
};
REGISTER_KERNEL_BUILDER(Name("InterleaveDataset").Device(DEVICE_CPU),
                        InterleaveDatasetOp);
REGISTER_KERNEL_BUILDER(Name("ParallelInterleaveDatasetV2").Device(DEVICE_CPU),
                        InterleaveDatasetOp);
REGISTER_KERNEL_BUILDER(Name("ParallelInterleaveDatasetV3").Device(DEVICE_CPU),
                        InterleaveDatasetOp);
REGISTER_KERNEL_BUILDER(Name("ParallelInterleaveDatasetV4").Device(DEVICE_CPU),
                        InterleaveDatasetOp);

}  // namespace
}  // namespace tensorwright
