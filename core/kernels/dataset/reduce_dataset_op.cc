// SPDX-License-Identifier: Apache-2.0
// Ops that go through a whole dataset at once: ReduceDataset and
// DatasetToSingleElement.

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/framework/allocator_reuse.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/cancellation.h"
#include "core/kernels/dataset/captured_function.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

// The outputs are the tensors that Result returns.
class WholeDatasetOp : public AsyncOpKernel {
 public:
  explicit WholeDatasetOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) final {
    DatasetPtr dataset;
    OP_REQUIRES_OK_ASYNC(ctx, DatasetFromTensor(ctx->input(0), &dataset), done);
    if (!MayWait(*dataset)) {
      Compute(ctx, *dataset);
      dataset.reset();
      return done();
    }
    // The executing thread may have to make the element that is waited for.
    Env::Default()->SchedClosure([this, ctx, held = std::move(dataset),
                                  done = std::move(done)]() mutable {
      const Status thrown = CatchExceptions([&] { Compute(ctx, *held); },
                                            [this] { return name(); });
      if (!thrown.ok()) ctx->SetStatus(thrown);
      held.reset();
      done();
    });
  }

 protected:
  virtual bool MayWait(const DatasetBase& dataset) { return dataset.MayWait(); }
  virtual StatusOr<Element> Result(OpKernelContext* ctx,
                                   const DatasetBase& dataset) = 0;

 private:
  void Compute(OpKernelContext* ctx, const DatasetBase& dataset) {
    const TensorAllocatorScope allocating(
        ctx->get_allocator(AllocatorAttributes()));
    StatusOr<Element> result = Result(ctx, dataset);
    OP_REQUIRES_OK(ctx, result.status());
    DataTypeVector dtypes;
    std::vector<PartialTensorShape> shapes;
    for (const Tensor& tensor : *result) {
      dtypes.push_back(tensor.dtype());
      shapes.emplace_back(tensor.shape().dim_sizes());
    }
    OP_REQUIRES_OK(ctx, CheckDtypes(dtypes_, dtypes));
    OP_REQUIRES_OK(ctx, CheckShapes(shapes_, shapes));
    for (size_t i = 0; i < result->size(); ++i) {
      ctx->set_output(static_cast<int>(i), std::move((*result)[i]));
    }
  }

  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};

class ReduceDatasetOp final : public WholeDatasetOp {
 public:
  explicit ReduceDatasetOp(OpKernelConstruction* ctx) : WholeDatasetOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("f", &function_));
  }

 private:
  // A dataset may have no end, and the calling thread has to watch the run's
  // deadline.
  bool MayWait(const DatasetBase&) override { return true; }

  StatusOr<Element> Result(OpKernelContext* ctx,
                           const DatasetBase& dataset) override {
    Element state;
    TF_RETURN_IF_ERROR(InitialState(ctx, &state));
    std::unique_ptr<CapturedFunction> captured;
    TF_RETURN_IF_ERROR(CapturedFunction::FromNode(
        ctx, function_, "other_arguments", &captured));
    IteratorContext context = IteratorContext::FromKernel(ctx);
    TF_ASSIGN_OR_RETURN(auto iterator, dataset.MakeIterator(&context));
    TF_ASSIGN_OR_RETURN(const InstantiatedFunction function,
                        captured->Instantiate(&context));
    for (int64_t index = 0;; ++index) {
      if (context.cancellation != nullptr &&
          context.cancellation->IsCancelled()) {
        return errors::Cancelled("ReduceDataset: was cancelled");
      }
      Element element;
      TF_ASSIGN_OR_RETURN(const bool more,
                          iterator->GetNext(&context, &element));
      if (!more) return state;
      Element rest;
      TF_RETURN_IF_ERROR(Fold(&context, function, "ReduceDataset", index,
                              /*may_end=*/false, std::move(element), &state,
                              &rest));
      if (!rest.empty()) {
        return errors::InvalidArgument("ReduceDataset: f must return ",
                                       state.size(), " tensors, got ",
                                       state.size() + rest.size());
      }
    }
  }

  NameAttrList function_;
};
REGISTER_KERNEL_BUILDER(Name("ReduceDataset").Device(DEVICE_CPU),
                        ReduceDatasetOp);

class DatasetToSingleElementOp final : public WholeDatasetOp {
 public:
  using WholeDatasetOp::WholeDatasetOp;

 private:
  StatusOr<Element> Result(OpKernelContext* ctx,
                           const DatasetBase& dataset) override {
    IteratorContext context = IteratorContext::FromKernel(ctx);
    TF_ASSIGN_OR_RETURN(auto iterator, dataset.MakeIterator(&context));
    Element element, another;
    TF_ASSIGN_OR_RETURN(bool more, iterator->GetNext(&context, &element));
    if (!more) {
      return errors::InvalidArgument(
          "DatasetToSingleElement: the dataset was empty.");
    }
    TF_ASSIGN_OR_RETURN(more, iterator->GetNext(&context, &another));
    if (more) {
      return errors::InvalidArgument(
          "DatasetToSingleElement: the dataset had more than one element.");
    }
    return element;
  }
};
REGISTER_KERNEL_BUILDER(Name("DatasetToSingleElement").Device(DEVICE_CPU),
                        DatasetToSingleElementOp);

}  // namespace
}  // namespace tensorwright
