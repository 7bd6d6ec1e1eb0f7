// SPDX-License-Identifier: Apache-2.0
// Calls of functions for elements.
#include "core/kernels/dataset/captured_function.h"

#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/framework/cancellation.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

Status InstantiatedFunction::Run(IteratorContext* ctx, Element args,
                                 Element* rets) const {
  args.insert(args.end(), captured_->begin(), captured_->end());
  FunctionLibraryRuntime::Options options;
  options.cancellation_manager = ctx->cancellation;
  return ctx->functions->RunSync(options, handle_, args, rets);
}

StatusOr<bool> InstantiatedFunction::RunPredicate(IteratorContext* ctx,
                                                  Element args) const {
  Element rets;
  TF_RETURN_IF_ERROR(Run(ctx, std::move(args), &rets));
  if (rets.size() != 1 || rets[0].dtype() != DT_BOOL ||
      rets[0].NumElements() != 1) {
    return errors::InvalidArgument(
        "the predicate must return one scalar bool, got ",
        rets.size() == 1
            ? absl::StrCat(DataTypeString(rets[0].dtype()), " of shape ",
                           rets[0].shape().DebugString())
            : absl::StrCat(rets.size(), " tensors"));
  }
  return *rets[0].base<bool>();
}

StatusOr<DatasetPtr> InstantiatedFunction::RunDataset(IteratorContext* ctx,
                                                      Element args) const {
  Element rets;
  TF_RETURN_IF_ERROR(Run(ctx, std::move(args), &rets));
  if (rets.size() != 1) {
    return errors::InvalidArgument("the function must return one dataset, got ",
                                   rets.size(), " tensors");
  }
  DatasetPtr dataset;
  TF_RETURN_IF_ERROR(DatasetFromTensor(rets[0], &dataset));
  return dataset;
}

Status CapturedFunction::FromNode(OpKernelContext* ctx,
                                  const NameAttrList& function,
                                  absl::string_view arguments,
                                  std::unique_ptr<CapturedFunction>* result) {
  OpInputList list;
  TF_RETURN_IF_ERROR(ctx->input_list(arguments, &list));
  std::vector<Tensor> captured;
  for (int i = 0; i < list.size(); ++i) captured.push_back(list[i]);
  *result = std::make_unique<CapturedFunction>(function, std::move(captured));
  (*result)->is_stateful = ctx->function_library() == nullptr ||
                           ctx->function_library()->IsStateful(function.name());
  return OkStatus();
}

StatusOr<InstantiatedFunction> CapturedFunction::Instantiate(
    IteratorContext* ctx) const {
  if (ctx->functions == nullptr) {
    return errors::Internal("there is no function library to find '",
                            function_.name(), "' in");
  }
  FunctionLibraryRuntime::Handle handle = 0;
  TF_RETURN_IF_ERROR(ctx->functions->Instantiate(
      function_.name(), AttrSlice(&function_.attr()), &handle));
  return InstantiatedFunction(handle, &captured_);
}

Status AtElement(const Status& status, const char* dataset, int64_t index) {
  if (status.ok()) return status;
  return errors::WithMessage(
      status, absl::StrCat(status.message(), " (", dataset, ", element ", index,
                           " of its input)"));
}

Status InitialState(OpKernelContext* ctx, Element* state) {
  OpInputList list;
  TF_RETURN_IF_ERROR(ctx->input_list("initial_state", &list));
  for (int i = 0; i < list.size(); ++i) state->push_back(list[i]);
  return OkStatus();
}

Status Fold(IteratorContext* ctx, const InstantiatedFunction& function,
            const char* what, int64_t index, bool may_end, Element element,
            Element* state, Element* out) {
  Element args = *state;
  std::move(element.begin(), element.end(), std::back_inserter(args));
  Element rets;
  const Status status = function.Run(ctx, std::move(args), &rets);
  if (errors::IsOutOfRange(status) && !may_end) {
    return errors::InvalidArgument(
        "Function invocation produced OutOfRangeError: ",
        AtElement(status, what, index).message());
  }
  if (!status.ok()) return AtElement(status, what, index);
  if (rets.size() < state->size()) {
    return errors::InvalidArgument(
        what, ": the function must return ", state->size(),
        " tensors of the next state, got ", rets.size(), " tensors");
  }
  for (size_t i = 0; i < state->size(); ++i) {
    if (rets[i].dtype() != (*state)[i].dtype()) {
      return errors::InvalidArgument(what, ": component ", i,
                                     " of the next state must be ",
                                     DataTypeString((*state)[i].dtype()),
                                     ", got ", DataTypeString(rets[i].dtype()));
    }
  }
  const auto rest = rets.begin() + static_cast<int64_t>(state->size());
  out->assign(std::make_move_iterator(rest),
              std::make_move_iterator(rets.end()));
  rets.erase(rest, rets.end());
  *state = std::move(rets);
  return OkStatus();
}

FunctionDatasetOp::FunctionDatasetOp(OpKernelConstruction* ctx,
                                     const char* attr)
    : DatasetOpKernel(ctx) {
  OP_REQUIRES_OK(ctx, ctx->GetAttr(attr, &function_));
  OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &output_dtypes_, &output_shapes_));
}

class PredicateDatasetOp::Dataset final : public UnaryDataset {
 public:
  Dataset(const char* name, AfterNo after_no, DatasetPtr input,
          std::unique_ptr<CapturedFunction> predicate)
      : UnaryDataset(std::move(input)),
        name_(name),
        after_no_(after_no),
        predicate_(std::move(predicate)) {}

  std::string Name() const override { return name_; }
  // A search for the next element may have no end, and so must not run in the
  // thread that watches the run's deadline.
  bool MayWait() const override {
    return after_no_ == AfterNo::kNext || predicate_->is_stateful ||
           UnaryDataset::MayWait();
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(made->predicate, predicate_->Instantiate(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<Dataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      while (input != nullptr) {
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled(dataset().name_, "Dataset: was cancelled");
        }
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, out));
        if (!more) break;
        const int64_t index = next++;
        const StatusOr<bool> yes = predicate->RunPredicate(ctx, *out);
        // A function may tell that there are no more elements.
        if (errors::IsOutOfRange(yes.status())) break;
        if (!yes.ok()) {
          return AtElement(yes.status(), (dataset().Name() + "Dataset").c_str(),
                           index);
        }
        if (*yes) return true;
        if (dataset().after_no_ == AfterNo::kEnd) break;
      }
      input = nullptr;
      return false;
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> predicate;
    int64_t next = 0;
  };

  const char* const name_;
  const AfterNo after_no_;
  const std::unique_ptr<CapturedFunction> predicate_;
};

StatusOr<DatasetPtr> PredicateDatasetOp::MakeDataset(OpKernelContext* ctx) {
  DatasetPtr input;
  std::unique_ptr<CapturedFunction> predicate;
  TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
  TF_RETURN_IF_ERROR(Function(ctx, &predicate));
  return DatasetPtr(
      new Dataset(name_, after_no_, std::move(input), std::move(predicate)));
}

}  // namespace tensorwright
