// SPDX-License-Identifier: Apache-2.0
// SaveDataset: writes all elements to files.  LoadDataset: a dataset of them.

#include <memory>
#include <string>
#include <utility>

#include "core/framework/allocator_reuse.h"
#include "core/framework/cancellation.h"
#include "core/kernels/dataset/captured_function.h"
#include "core/kernels/dataset/snapshot_dataset_op_files.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

class SaveDatasetOp final : public AsyncOpKernel {
 public:
  explicit SaveDatasetOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compression", &compression_));
    OP_REQUIRES_OK(ctx, CheckElementCompression(type_string(), compression_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shard_func", &shard_func_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_shard_func", &use_shard_func_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    // It goes on until the dataset ends, while the executing thread has to
    // watch the run's deadline, and perhaps to make the element that is waited
    // for.
    Env::Default()->SchedClosure([this, ctx, done = std::move(done)]() mutable {
      Status saved;
      const Status thrown = CatchExceptions([&] { saved = Save(ctx); },
                                            [this] { return name(); });
      ctx->SetStatus(thrown.ok() ? saved : thrown);
      done();
    });
  }

 private:
  Status Save(OpKernelContext* ctx) {
    DatasetPtr dataset;
    TF_RETURN_IF_ERROR(DatasetFromTensor(ctx->input(0), &dataset));
    std::string path;
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "path", &path));
    IteratorContext context = IteratorContext::FromKernel(ctx);
    const TensorAllocatorScope allocating(context.allocator);
    std::unique_ptr<CapturedFunction> captured;
    TF_RETURN_IF_ERROR(CapturedFunction::FromNode(
        ctx, shard_func_, "shard_func_other_args", &captured));
    TF_ASSIGN_OR_RETURN(const auto function, captured->Instantiate(&context));
    TF_ASSIGN_OR_RETURN(auto iterator, dataset->MakeIterator(&context));
    snapshot::RunWriter writer(ctx->env(), path, "", compression_,
                               dataset->output_dtypes());
    TF_RETURN_IF_ERROR(writer.Open());
    for (int64_t index = 0;; ++index) {
      if (context.cancellation != nullptr &&
          context.cancellation->IsCancelled()) {
        return errors::Cancelled("SaveDataset: was cancelled");
      }
      Element element;
      TF_ASSIGN_OR_RETURN(const bool more,
                          iterator->GetNext(&context, &element));
      if (!more) return writer.Finish();
      TF_RETURN_IF_ERROR(AtElement(Write(&context, function, element, &writer),
                                   "SaveDataset", index));
    }
  }

  Status Write(IteratorContext* ctx, const InstantiatedFunction& function,
               const Element& element, snapshot::RunWriter* writer) const {
    int64_t shard = 0;
    if (use_shard_func_) {
      TF_ASSIGN_OR_RETURN(shard, snapshot::ShardOf(ctx, function, element));
    }
    return writer->Add(shard, element);
  }

  std::string compression_;
  NameAttrList shard_func_;
  bool use_shard_func_ = true;
};
REGISTER_KERNEL_BUILDER(Name("SaveDataset").Device(DEVICE_CPU), SaveDatasetOp);

// The dataset that a function makes of the shards.
class LoadDataset final : public DatasetBase {
 public:
  LoadDataset(DatasetPtr shards, std::unique_ptr<CapturedFunction> reader,
              int64_t cardinality, DataTypeVector dtypes,
              std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        shards_(std::move(shards)),
        reader_(std::move(reader)),
        cardinality_(cardinality) {}

  std::string Name() const override { return "Load"; }
  bool MayWait() const override { return true; }
  int64_t Cardinality() const override { return cardinality_; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const auto reader, reader_->Instantiate(ctx));
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->read,
                        reader.RunDataset(ctx, {DatasetToTensor(shards_)}));
    TF_RETURN_IF_ERROR(
        CheckDtypes(output_dtypes(), made->read->output_dtypes()));
    TF_ASSIGN_OR_RETURN(made->iterator, made->read->MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<LoadDataset> {
    using DatasetIterator::DatasetIterator;
    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      return iterator->GetNext(ctx, out);
    }
    DatasetPtr read;
    std::unique_ptr<IteratorBase> iterator;
  };

  const DatasetPtr shards_;
  const std::unique_ptr<CapturedFunction> reader_;
  const int64_t cardinality_;
};

class LoadDatasetOp final : public DatasetOpKernel {
 public:
  explicit LoadDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compression", &compression_));
    OP_REQUIRES_OK(ctx, CheckElementCompression(type_string(), compression_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("reader_func", &reader_));
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    std::string path;
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "path", &path));
    snapshot::Metadata metadata;
    TF_ASSIGN_OR_RETURN(const bool exists,
                        snapshot::ReadMetadata(ctx->env(), path, &metadata));
    if (!exists) {
      return errors::NotFound("LoadDataset: no dataset was saved in ", path);
    }
    if (!metadata.finalized()) {
      return errors::FailedPrecondition(
          "LoadDataset: the dataset in ", path,
          " is not whole: saving it has not ended, or has failed");
    }
    std::unique_ptr<CapturedFunction> reader;
    TF_RETURN_IF_ERROR(CapturedFunction::FromNode(
        ctx, reader_, "reader_func_other_args", &reader));
    TF_ASSIGN_OR_RETURN(DatasetPtr shards,
                        snapshot::Shards(ctx->env(), path, metadata,
                                         compression_, dtypes_, shapes_));
    return DatasetPtr(new LoadDataset(std::move(shards), std::move(reader),
                                      metadata.num_elements(), dtypes_,
                                      shapes_));
  }

 private:
  std::string compression_;
  NameAttrList reader_;
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("LoadDataset").Device(DEVICE_CPU), LoadDatasetOp);

}  // namespace
}  // namespace tensorwright
