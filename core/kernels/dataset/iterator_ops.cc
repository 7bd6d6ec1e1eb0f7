// SPDX-License-Identifier: Apache-2.0
// Iterators as resources, and the ops on them.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/allocator_reuse.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/cancellation.h"
#include "core/framework/function.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/dataset/optional_ops.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

// One pass over a dataset at a time, for any number of kernels.
class IteratorResource final : public ResourceBase {
 public:
  IteratorResource(DataTypeVector dtypes,
                   std::vector<PartialTensorShape> shapes)
      : dtypes_(std::move(dtypes)), shapes_(std::move(shapes)) {}

  ~IteratorResource() override {
    // The iterator's own thread may drop the last reference, and cannot wait
    // for itself.
    if (thread_ == nullptr || thread_->CurrentThreadId() < 0) return;
    Env::Default()->SchedClosure([pool = thread_.release()] { delete pool; });
  }

  std::string DebugString() const override { return "Iterator"; }
  const DataTypeVector& dtypes() const { return dtypes_; }
  const std::vector<PartialTensorShape>& shapes() const { return shapes_; }

  // Begins to go through `dataset`, whose elements must fit.
  Status SetDataset(IteratorContext* ctx, const DatasetBase& dataset) {
    TF_RETURN_IF_ERROR(CheckDtypes(dtypes_, dataset.output_dtypes()));
    TF_RETURN_IF_ERROR(CheckShapes(shapes_, dataset.output_shapes()));
    TF_ASSIGN_OR_RETURN(auto made, dataset.MakeIterator(ctx));
    auto pass = std::make_shared<Pass>();
    pass->iterator = std::move(made);
    pass->may_wait = dataset.MayWait();
    mutex_lock lock(mu_);
    pass_.swap(pass);  // The old pass ends without the lock.
    return OkStatus();
  }

  // May GetNext wait?
  bool MayWait() const {
    mutex_lock lock(mu_);
    return pass_ != nullptr && pass_->may_wait;
  }

  // Calls GetNext, if that does not wait: sets *status and returns true, or
  // returns false.
  bool GetNextAtOnce(IteratorContext* ctx, Element* element, Status* status) {
    const std::shared_ptr<Pass> pass = CurrentPass();
    if (pass == nullptr) return false;
    if (!pass->mu.try_lock()) return false;
    const bool ready = !pass->may_wait || pass->iterator->IsReady();
    if (ready) *status = pass->GetNext(ctx, element);
    pass->mu.unlock();
    return ready;
  }

  // OutOfRange at the end; FailedPrecondition without a dataset.
  Status GetNext(IteratorContext* ctx, Element* element) {
    const std::shared_ptr<Pass> pass = CurrentPass();
    if (pass == nullptr) {
      return errors::FailedPrecondition(
          "GetNext() failed because the iterator has not been initialized. "
          "Ensure that you have run the initializer operation for this "
          "iterator before getting the next element.");
    }
    mutex_lock lock(pass->mu);
    return pass->GetNext(ctx, element);
  }

  // Runs `work` in a thread of its own, in which it may wait.
  void Schedule(std::function<void()> work) {
    mutex_lock lock(mu_);
    if (thread_ == nullptr) {
      thread_ = std::make_unique<thread::ThreadPool>(Env::Default(),
                                                     "iterator_get_next", 1);
    }
    thread_->Schedule(std::move(work));
  }

 private:
  struct Pass {
    mutex mu;
    std::unique_ptr<IteratorBase> iterator TF_PT_GUARDED_BY(mu);
    bool may_wait = false;

    Status GetNext(IteratorContext* ctx, Element* element)
        TF_EXCLUSIVE_LOCKS_REQUIRED(mu) {
      TF_ASSIGN_OR_RETURN(const bool more, iterator->GetNext(ctx, element));
      if (!more) return errors::OutOfRange("End of sequence");
      return OkStatus();
    }
  };

  std::shared_ptr<Pass> CurrentPass() const {
    mutex_lock lock(mu_);
    return pass_;
  }

  const DataTypeVector dtypes_;
  const std::vector<PartialTensorShape> shapes_;
  mutable mutex mu_;
  std::shared_ptr<Pass> pass_ TF_GUARDED_BY(mu_);
  // Destroyed first: its work uses the other members.
  std::unique_ptr<thread::ThreadPool> thread_ TF_GUARDED_BY(mu_);
};

// A name that no other iterator has.
std::string UniqueName(const std::string& base) {
  static std::atomic<int64_t> next{0};
  return absl::StrCat(base, "/iterator_", next.fetch_add(1));
}

// Iterator, IteratorV2: one for each kernel, or for each name.
class IteratorHandleOp : public OpKernel {
 public:
  explicit IteratorHandleOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shared_name", &shared_name_));
    OP_REQUIRES_OK(ctx, cinfo_.Init(ctx->resource_manager(), def(), false));
  }

  ~IteratorHandleOp() override {
    if (resource_ == nullptr || !shared_name_.empty()) return;
    // NotFound if somebody has deleted it already.
    cinfo_.resource_manager()
        ->Delete<IteratorResource>(cinfo_.container(), name_)
        .IgnoreError();
  }

  void Compute(OpKernelContext* ctx) override {
    {
      mutex_lock lock(mu_);
      if (resource_ == nullptr) OP_REQUIRES_OK(ctx, Make(ctx));
    }
    OP_REQUIRES_OK(ctx,
                   MakeResourceHandleToOutput(ctx, 0, cinfo_.container(), name_,
                                              typeid(IteratorResource)));
  }
  bool IsExpensive() override { return false; }

 protected:
  // Prepares an iterator that has just been made.
  virtual Status Prepare(OpKernelContext*, IteratorResource*) {
    return OkStatus();
  }

 private:
  Status Make(OpKernelContext* ctx) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    name_ = shared_name_.empty() ? UniqueName(name()) : shared_name_;
    IteratorResource* resource = nullptr;
    bool is_new = false;
    TF_RETURN_IF_ERROR(
        ctx->resource_manager()->LookupOrCreate<IteratorResource>(
            cinfo_.container(), name_, &resource,
            [this, &is_new](IteratorResource** made) {
              *made = new IteratorResource(dtypes_, shapes_);
              is_new = true;
              return OkStatus();
            }));
    core::RefCountPtr<IteratorResource> owned(resource);
    Status status = CheckDtypes(dtypes_, resource->dtypes());
    if (status.ok()) status = CheckShapes(shapes_, resource->shapes());
    if (status.ok() && is_new) {
      status = Prepare(ctx, resource);
      if (!status.ok()) {
        ctx->resource_manager()
            ->Delete<IteratorResource>(cinfo_.container(), name_)
            .IgnoreError();
      }
    }
    if (status.ok()) resource_ = std::move(owned);
    return status;
  }

  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
  std::string shared_name_;
  ContainerInfo cinfo_;
  mutex mu_;
  std::string name_ TF_GUARDED_BY(mu_);
  core::RefCountPtr<IteratorResource> resource_ TF_GUARDED_BY(mu_);
};
REGISTER_KERNEL_BUILDER(Name("Iterator").Device(DEVICE_CPU), IteratorHandleOp);
REGISTER_KERNEL_BUILDER(Name("IteratorV2").Device(DEVICE_CPU),
                        IteratorHandleOp);

// The first run makes the dataset.
class OneShotIteratorOp final : public IteratorHandleOp {
 public:
  explicit OneShotIteratorOp(OpKernelConstruction* ctx)
      : IteratorHandleOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dataset_factory", &factory_));
  }

 private:
  Status Prepare(OpKernelContext* ctx, IteratorResource* iterator) override {
    IteratorContext context = IteratorContext::FromKernel(ctx);
    if (context.functions == nullptr) {
      return errors::Internal("OneShotIterator: there is no function library");
    }
    FunctionLibraryRuntime::Handle handle = 0;
    TF_RETURN_IF_ERROR(context.functions->Instantiate(
        factory_.name(), AttrSlice(&factory_.attr()), &handle));
    FunctionLibraryRuntime::Options options;
    options.cancellation_manager = ctx->cancellation_manager();
    std::vector<Tensor> rets;
    TF_RETURN_IF_ERROR(context.functions->RunSync(options, handle, {}, &rets));
    if (rets.size() != 1) {
      return errors::InvalidArgument(
          "OneShotIterator: dataset_factory must return one dataset, got ",
          rets.size(), " tensors");
    }
    DatasetPtr dataset;
    TF_RETURN_IF_ERROR(DatasetFromTensor(rets[0], &dataset));
    return iterator->SetDataset(&context, *dataset);
  }

  NameAttrList factory_;
};
REGISTER_KERNEL_BUILDER(Name("OneShotIterator").Device(DEVICE_CPU),
                        OneShotIteratorOp);

class MakeIteratorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    DatasetPtr dataset;
    OP_REQUIRES_OK(ctx, DatasetFromTensor(ctx->input(0), &dataset));
    core::RefCountPtr<IteratorResource> iterator;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "iterator", &iterator));
    IteratorContext context = IteratorContext::FromKernel(ctx);
    OP_REQUIRES_OK(ctx, iterator->SetDataset(&context, *dataset));
  }
};
REGISTER_KERNEL_BUILDER(Name("MakeIterator").Device(DEVICE_CPU),
                        MakeIteratorOp);

class IteratorGetNextOp final : public AsyncOpKernel {
 public:
  explicit IteratorGetNextOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
    sync_ = type_string() == "IteratorGetNextSync";
    as_optional_ = type_string() == "IteratorGetNextAsOptional";
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    core::RefCountPtr<IteratorResource> iterator;
    OP_REQUIRES_OK_ASYNC(
        ctx, GetResourceFromContext(ctx, "iterator", &iterator), done);
    OP_REQUIRES_OK_ASYNC(ctx, CheckDtypes(dtypes_, iterator->dtypes()), done);
    if (sync_ || !iterator->MayWait()) {
      GetNext(ctx, iterator.get());
      iterator.reset();
      return done();
    }
    // An element made ahead needs no other thread.
    IteratorContext context = IteratorContext::FromKernel(ctx);
    Element element;
    Status status;
    if (iterator->GetNextAtOnce(&context, &element, &status)) {
      SetOutputs(ctx, status, std::move(element));
      iterator.reset();
      return done();
    }
    // The executing thread has to watch clocks, and perhaps to make the element
    // that is waited for.
    IteratorResource* const waits = iterator.get();
    waits->Schedule([this, ctx, held = std::move(iterator),
                     done = std::move(done)]() mutable {
      const Status thrown = CatchExceptions([&] { GetNext(ctx, held.get()); },
                                            [this] { return name(); });
      if (!thrown.ok()) ctx->SetStatus(thrown);
      held.reset();
      done();
    });
  }

 private:
  void GetNext(OpKernelContext* ctx, IteratorResource* iterator) {
    IteratorContext context = IteratorContext::FromKernel(ctx);
    const TensorAllocatorScope allocating(context.allocator);
    Element element;
    const Status status = iterator->GetNext(&context, &element);
    SetOutputs(ctx, status, std::move(element));
  }

  void SetOutputs(OpKernelContext* ctx, const Status& status,
                  Element element) const {
    if (as_optional_ && errors::IsOutOfRange(status)) {
      return ctx->set_output(0, OptionalWithNothing());
    }
    OP_REQUIRES_OK(ctx, status);
    OP_REQUIRES(ctx, element.size() == dtypes_.size(),
                errors::Internal("an element of ", element.size(),
                                 " components, expected ", dtypes_.size()));
    for (size_t i = 0; i < element.size(); ++i) {
      OP_REQUIRES(
          ctx, shapes_[i].IsCompatibleWith(element[i].shape()),
          errors::InvalidArgument("IteratorGetNext: component ", i,
                                  " must have shape ", shapes_[i].DebugString(),
                                  ", got ", element[i].shape().DebugString()));
      if (as_optional_) continue;
      ctx->set_output(static_cast<int>(i), std::move(element[i]));
    }
    if (as_optional_) ctx->set_output(0, OptionalWith(std::move(element)));
  }

  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
  bool sync_ = false;
  bool as_optional_ = false;
};
REGISTER_KERNEL_BUILDER(Name("IteratorGetNext").Device(DEVICE_CPU),
                        IteratorGetNextOp);
REGISTER_KERNEL_BUILDER(Name("IteratorGetNextSync").Device(DEVICE_CPU),
                        IteratorGetNextOp);
REGISTER_KERNEL_BUILDER(Name("IteratorGetNextAsOptional").Device(DEVICE_CPU),
                        IteratorGetNextOp);

class IteratorToStringHandleOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    // The iterator must exist.
    core::RefCountPtr<IteratorResource> iterator;
    OP_REQUIRES_OK(ctx,
                   GetResourceFromContext(ctx, "resource_handle", &iterator));
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    ctx->set_output(0, Tensor(handle.SerializeAsString()));
  }
};
REGISTER_KERNEL_BUILDER(Name("IteratorToStringHandle").Device(DEVICE_CPU),
                        IteratorToStringHandleOp);

class IteratorFromStringHandleOp final : public OpKernel {
 public:
  explicit IteratorFromStringHandleOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  void Compute(OpKernelContext* ctx) override {
    std::string text;
    OP_REQUIRES_OK(ctx, ScalarArgument(ctx, "string_handle", &text));
    ResourceHandle handle;
    OP_REQUIRES(
        ctx, handle.ParseFromString(text),
        errors::InvalidArgument(
            type_string(), ": string_handle is not the handle of an iterator"));
    core::RefCountPtr<IteratorResource> iterator;
    OP_REQUIRES_OK(ctx, LookupResource(ctx, handle, &iterator));
    if (!dtypes_.empty()) {
      OP_REQUIRES_OK(ctx, CheckDtypes(dtypes_, iterator->dtypes()));
    }
    if (!shapes_.empty()) {
      OP_REQUIRES_OK(ctx, CheckShapes(shapes_, iterator->shapes()));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    out->scalar_value<ResourceHandle>() = handle;
  }

 private:
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("IteratorFromStringHandle").Device(DEVICE_CPU),
                        IteratorFromStringHandleOp);
REGISTER_KERNEL_BUILDER(Name("IteratorFromStringHandleV2").Device(DEVICE_CPU),
                        IteratorFromStringHandleOp);

class IteratorDisposeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    OP_REQUIRES_OK(ctx, DeleteResource<IteratorResource>(ctx, handle));
  }
};
REGISTER_KERNEL_BUILDER(Name("IteratorDispose").Device(DEVICE_CPU),
                        IteratorDisposeOp);

}  // namespace
}  // namespace tensorwright
