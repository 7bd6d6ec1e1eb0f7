// SPDX-License-Identifier: Apache-2.0
// SaveV2, RestoreV2, MergeV2Checkpoints: checkpoints of the V2 format.

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/threadpool.h"
#include "core/lib/io/path.h"
#include "core/platform/env.h"
#include "core/util/saved_tensor_slice_util.h"
#include "core/util/tensor_bundle.h"
#include "core/util/tensor_slice_table.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class SaveV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const auto names = Flat<std::string>(ctx->input(1));
    const auto texts = Flat<std::string>(ctx->input(2));
    BundleWriter writer(ctx->env(), ctx->input(0).scalar_value<std::string>());
    OP_REQUIRES_OK(ctx, writer.status());
    for (size_t i = 0; i < names.size(); ++i) {
      const Tensor& tensor = ctx->input(3 + static_cast<int>(i));
      TensorShape full_shape;
      TensorSlice slice;
      OP_REQUIRES_OK(ctx,
                     checkpoint::PartToSave(names[i], texts[i], tensor.shape(),
                                            &full_shape, &slice));
      OP_REQUIRES_OK(
          ctx, texts[i].empty()
                   ? writer.Add(names[i], tensor)
                   : writer.AddSlice(names[i], full_shape, slice, tensor));
    }
    OP_REQUIRES_OK(ctx, writer.Finish());
  }
};
REGISTER_KERNEL_BUILDER(Name("SaveV2").Device(DEVICE_CPU), SaveV2Op);

class RestoreV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const std::string& prefix = ctx->input(0).scalar_value<std::string>();
    // Programs that moved to this op may still have files of the old format.
    const Status has_index = ctx->env()->FileExists(MetaFilename(prefix));
    std::vector<std::string> tables;
    if (errors::IsNotFound(has_index)) {
      OP_REQUIRES_OK(ctx, ctx->env()->GetMatchingPaths(prefix, &tables));
      OP_REQUIRES(
          ctx, !tables.empty(),
          errors::NotFound("RestoreV2: Unsuccessful TensorSliceReader: no "
                           "checkpoint is at ",
                           prefix, ": there is neither ", MetaFilename(prefix),
                           " nor a file of the V1 format"));
      OP_REQUIRES_OK(ctx, RestoreTables(ctx, prefix));
      return;
    }
    OP_REQUIRES_OK(ctx, RestoreBundle(ctx, prefix));
  }

 private:
  // A tensor to be read, and the output that it is read into.
  struct Task {
    TensorRead read;
    Tensor* tensor = nullptr;
  };

  static Status RestoreTables(OpKernelContext* ctx, const std::string& prefix) {
    const auto names = Flat<std::string>(ctx->input(1));
    const auto texts = Flat<std::string>(ctx->input(2));
    std::unique_ptr<checkpoint::TensorSliceReader> reader;
    TF_RETURN_IF_ERROR(
        checkpoint::TensorSliceReader::Open(ctx->env(), prefix, &reader));
    for (size_t i = 0; i < names.size(); ++i) {
      const int output = static_cast<int>(i);
      const DataType dtype = ctx->expected_output_dtype(output);
      Tensor tensor;
      TF_RETURN_IF_ERROR(reader->Read(
          names[i], texts[i], dtype,
          [&](const TensorShape& shape, Tensor* out) {
            return ctx->allocate_temp(dtype, shape, out);
          },
          &tensor));
      ctx->set_output(output, tensor);
    }
    return OkStatus();
  }

  static Status Plan(OpKernelContext* ctx, BundleReader* reader, int i,
                     TensorRead* read) {
    const std::string& name = Flat<std::string>(ctx->input(1))[i];
    const std::string& text = Flat<std::string>(ctx->input(2))[i];
    TensorSlice slice;
    TensorShape full_shape, shape_of_slice;
    const bool is_part = !text.empty();
    if (is_part) {
      TF_RETURN_IF_ERROR(checkpoint::ParseShapeAndSlice(
          text, &full_shape, &slice, &shape_of_slice));
    }
    const Status planned = reader->Plan(name, is_part ? &slice : nullptr, read);
    // The stored shape is known once the tensor is found, and says more than
    // that a slice does not fit into it.
    if (is_part && read->dtype != DT_INVALID &&
        read->full_shape != full_shape) {
      return errors::InvalidArgument(
          "RestoreV2: tensor '", name, "' has shape ",
          read->full_shape.DebugString(), " in checkpoint ", reader->prefix(),
          ", ", full_shape.DebugString(), " is expected");
    }
    TF_RETURN_IF_ERROR(planned);
    if (read->dtype != ctx->expected_output_dtype(i)) {
      return errors::InvalidArgument(
          "RestoreV2: tensor '", name, "' is ", DataTypeString(read->dtype),
          " in checkpoint ", reader->prefix(), ", ",
          DataTypeString(ctx->expected_output_dtype(i)), " is expected");
    }
    return OkStatus();
  }

  static Status RestoreBundle(OpKernelContext* ctx, const std::string& prefix) {
    std::unique_ptr<BundleReader> reader;
    TF_RETURN_IF_ERROR(BundleReader::Open(ctx->env(), prefix, &reader));
    // The index is sorted by name.
    const auto names = Flat<std::string>(ctx->input(1));
    std::vector<int> order(names.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return names[a] < names[b]; });
    std::vector<Task> large, small;
    for (const int i : order) {
      Task task;
      TF_RETURN_IF_ERROR(Plan(ctx, reader.get(), i, &task.read));
      TF_RETURN_IF_ERROR(
          ctx->allocate_output(i, task.read.shape, &task.tensor));
      (task.read.bytes() < kLarge ? small : large).push_back(std::move(task));
    }
    return ReadAll(ctx, reader.get(), large, small);
  }

  // Each large tensor is read by all threads, and small ones are divided among
  // the threads.
  static Status ReadAll(OpKernelContext* ctx, BundleReader* reader,
                        const std::vector<Task>& large,
                        const std::vector<Task>& small) {
    const auto* threads = ctx->device()->tensorflow_cpu_worker_threads();
    for (const Task& task : large) {
      TF_RETURN_IF_ERROR(
          reader->Read(task.read, task.tensor,
                       threads != nullptr ? threads->workers : nullptr));
    }
    // Reading a small one takes some microseconds.
    constexpr int64_t kCycles = 10000;
    std::vector<Status> results(small.size());
    ParallelFor(ctx, static_cast<int64_t>(small.size()), kCycles,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    results[i] = reader->Read(small[i].read, small[i].tensor);
                  }
                });
    for (const Status& s : results) TF_RETURN_IF_ERROR(s);
    return OkStatus();
  }

  static constexpr int64_t kLarge = 1 << 20;
};
REGISTER_KERNEL_BUILDER(Name("RestoreV2").Device(DEVICE_CPU), RestoreV2Op);

class MergeV2CheckpointsOp final : public OpKernel {
 public:
  explicit MergeV2CheckpointsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("delete_old_dirs", &delete_old_dirs_));
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("allow_missing_files", &allow_missing_files_));
  }

  void Compute(OpKernelContext* ctx) override {
    const auto prefixes = Flat<std::string>(ctx->input(0));
    const std::string& merged = ctx->input(1).scalar_value<std::string>();
    OP_REQUIRES_OK(
        ctx, MergeBundles(ctx->env(), prefixes, merged, allow_missing_files_));
    if (!delete_old_dirs_) return;
    std::set<std::string> folders;
    for (const std::string& prefix : prefixes) {
      folders.insert(std::string(io::Dirname(prefix)));
    }
    folders.erase(std::string(io::Dirname(merged)));
    for (const std::string& folder : folders) {
      // A folder that others still use is not empty, so it stays.
      if (!folder.empty()) ctx->env()->DeleteDir(folder).IgnoreError();
    }
  }

 private:
  bool delete_old_dirs_;
  bool allow_missing_files_;
};
REGISTER_KERNEL_BUILDER(Name("MergeV2Checkpoints").Device(DEVICE_CPU),
                        MergeV2CheckpointsOp);

}  // namespace
}  // namespace tensorwright
