// SPDX-License-Identifier: Apache-2.0
// SummaryWriter, and the ops that make, flush and close one.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/resource_op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/summary/summary_writer.h"
#include "core/lib/io/path.h"
#include "core/platform/env.h"
#include "core/util/event.pb.h"

namespace tensorwright {

SummaryWriter::SummaryWriter(Env* env, const std::string& prefix,
                             int64_t max_queue, int64_t flush_millis)
    : env_(env),
      max_queue_(max_queue),
      flush_micros_(1000 * static_cast<uint64_t>(flush_millis)),
      file_(prefix, env),
      last_flush_micros_(env->NowMicros()) {}

Status SummaryWriter::Create(Env* env, const std::string& logdir,
                             int64_t max_queue, int64_t flush_millis,
                             const std::string& suffix,
                             SummaryWriter** writer) {
  if (!env->IsDirectory(logdir).ok()) {
    TF_RETURN_IF_ERROR(env->RecursivelyCreateDir(logdir));
  }
  core::RefCountPtr<SummaryWriter> made(new SummaryWriter(
      env, io::JoinPath(logdir, "events"), std::max<int64_t>(0, max_queue),
      std::max<int64_t>(0, flush_millis)));
  mutex_lock l(made->mu_);
  TF_RETURN_IF_ERROR(made->file_.InitWithSuffix(suffix));
  TF_RETURN_IF_ERROR(made->file_.Flush());
  *writer = made.release();
  return OkStatus();
}

SummaryWriter::~SummaryWriter() {
  const Status flushed = Flush();
  if (!flushed.ok()) {
    LOG(ERROR) << "Events of a summary writer are lost: " << flushed;
  }
}

Status SummaryWriter::Write(const Event& event) {
  std::string bytes;
  const size_t size = event.ByteSizeLong();
  if (size > size_t{std::numeric_limits<int>::max()} ||
      !event.SerializeToString(&bytes)) {
    return errors::InvalidArgument(
        "The event is larger than a proto may be: ", size, " bytes");
  }
  mutex_lock l(mu_);
  queue_.push_back(std::move(bytes));
  if (static_cast<int64_t>(queue_.size()) > max_queue_ ||
      env_->NowMicros() - last_flush_micros_ > flush_micros_) {
    return FlushLocked();
  }
  return OkStatus();
}

Status SummaryWriter::Flush() {
  mutex_lock l(mu_);
  return FlushLocked();
}

Status SummaryWriter::FlushLocked() {
  // Events that cannot be written now are dropped, because trying again and
  // again would take ever more memory.
  const std::vector<std::string> queue = std::exchange(queue_, {});
  last_flush_micros_ = env_->NowMicros();
  for (const std::string& event : queue) {
    TF_RETURN_IF_ERROR(file_.WriteSerializedEvent(event));
  }
  return file_.Flush();
}

namespace {

REGISTER_KERNEL_BUILDER(Name("SummaryWriter").Device(DEVICE_CPU),
                        ResourceHandleOp<SummaryWriter>);

class CreateSummaryFileWriterOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    core::RefCountPtr<SummaryWriter> writer;
    OP_REQUIRES_OK(ctx, LookupOrCreateResource<SummaryWriter>(
                            ctx, handle, &writer, [&](SummaryWriter** made) {
                              return SummaryWriter::Create(
                                  ctx->env(),
                                  *ctx->input(1).base<std::string>(),
                                  *ctx->input(2).base<int32>(),
                                  *ctx->input(3).base<int32>(),
                                  *ctx->input(4).base<std::string>(), made);
                            }));
  }
};
REGISTER_KERNEL_BUILDER(Name("CreateSummaryFileWriter").Device(DEVICE_CPU),
                        CreateSummaryFileWriterOp);

class FlushSummaryWriterOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<SummaryWriter> writer;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "writer", &writer));
    OP_REQUIRES_OK(ctx, writer->Flush());
  }
};
REGISTER_KERNEL_BUILDER(Name("FlushSummaryWriter").Device(DEVICE_CPU),
                        FlushSummaryWriterOp);

class CloseSummaryWriterOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    core::RefCountPtr<SummaryWriter> writer;
    OP_REQUIRES_OK(ctx, LookupResource(ctx, handle, &writer));
    // This op reports the file's errors; afterwards nothing is left to write.
    const Status flushed = writer->Flush();
    OP_REQUIRES_OK(ctx, DeleteResource<SummaryWriter>(ctx, handle));
    OP_REQUIRES_OK(ctx, flushed);
  }
};
REGISTER_KERNEL_BUILDER(Name("CloseSummaryWriter").Device(DEVICE_CPU),
                        CloseSummaryWriterOp);

}  // namespace
}  // namespace tensorwright
