// SPDX-License-Identifier: Apache-2.0
// Ops that write an event to a SummaryWriter.
#include <limits>
#include <string>

#include "core/framework/graph.pb.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/kernels/summary/summary_writer.h"
#include "core/platform/env.h"
#include "core/util/event.pb.h"
#include "core/util/summary_images.h"
#include "core/util/summary_values.h"

namespace tensorwright {
namespace {

const std::string& Text(OpKernelContext* ctx, int input) {
  return *ctx->input(input).base<std::string>();
}

// Input 0 is the writer.
class WriteOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) final {
    core::RefCountPtr<SummaryWriter> writer;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "writer", &writer));
    Event event;
    OP_REQUIRES_OK(ctx, Fill(ctx, &event));
    OP_REQUIRES_OK(ctx, writer->Write(event));
  }

 private:
  virtual Status Fill(OpKernelContext* ctx, Event* event) = 0;
};

// Input 1 is the step; the event has the present time.
class WriteStepOp : public WriteOp {
 public:
  using WriteOp::WriteOp;

 private:
  Status Fill(OpKernelContext* ctx, Event* event) final {
    event->set_wall_time(static_cast<double>(Env::Default()->NowMicros()) /
                         1e6);
    event->set_step(*ctx->input(1).base<int64>());
    return FillStep(ctx, event);
  }
  virtual Status FillStep(OpKernelContext* ctx, Event* event) = 0;
};

class WriteSummaryOp final : public WriteStepOp {
 public:
  using WriteStepOp::WriteStepOp;

 private:
  Status FillStep(OpKernelContext* ctx, Event* event) override {
    Summary* summary = event->mutable_summary();
    AddTensorSummary(ctx->input(2), Text(ctx, 3), summary);
    const std::string& metadata = Text(ctx, 4);
    if (!metadata.empty() &&
        !summary->mutable_value(0)->mutable_metadata()->ParseFromString(
            metadata)) {
      return errors::InvalidArgument(
          "summary_metadata must be a serialized SummaryMetadata, and could "
          "not be parsed");
    }
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(Name("WriteSummary").Device(DEVICE_CPU),
                        WriteSummaryOp);

class WriteRawProtoSummaryOp final : public WriteStepOp {
 public:
  using WriteStepOp::WriteStepOp;

 private:
  Status FillStep(OpKernelContext* ctx, Event* event) override {
    Summary* summary = event->mutable_summary();
    const Tensor& tensor = ctx->input(2);
    for (int64_t i = 0; i < tensor.NumElements(); ++i) {
      if (!summary->MergeFromString(tensor.base<std::string>()[i])) {
        return errors::DataLoss(
            "tensor must be serialized Summaries, and "
            "element ",
            i, " could not be parsed");
      }
    }
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(Name("WriteRawProtoSummary").Device(DEVICE_CPU),
                        WriteRawProtoSummaryOp);

class WriteScalarSummaryOp final : public WriteStepOp {
 public:
  using WriteStepOp::WriteStepOp;

 private:
  Status FillStep(OpKernelContext* ctx, Event* event) override {
    AddScalarSummary(ctx->input(3), 0, Text(ctx, 2), event->mutable_summary());
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(Name("WriteScalarSummary").Device(DEVICE_CPU),
                        WriteScalarSummaryOp);

class WriteHistogramSummaryOp final : public WriteStepOp {
 public:
  using WriteStepOp::WriteStepOp;

 private:
  Status FillStep(OpKernelContext* ctx, Event* event) override {
    return AddHistogramSummary(ctx, ctx->input(3), Text(ctx, 2), Text(ctx, 2),
                               event->mutable_summary());
  }
};
REGISTER_KERNEL_BUILDER(Name("WriteHistogramSummary").Device(DEVICE_CPU),
                        WriteHistogramSummaryOp);

class WriteImageSummaryOp final : public WriteStepOp {
 public:
  explicit WriteImageSummaryOp(OpKernelConstruction* ctx) : WriteStepOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_images", &max_images_));
  }

 private:
  Status FillStep(OpKernelContext* ctx, Event* event) override {
    return AddImageSummaries(ctx, ctx->input(3), Text(ctx, 2), max_images_,
                             ctx->input(4), event->mutable_summary());
  }

  int32 max_images_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("WriteImageSummary").Device(DEVICE_CPU),
                        WriteImageSummaryOp);

class WriteAudioSummaryOp final : public WriteStepOp {
 public:
  explicit WriteAudioSummaryOp(OpKernelConstruction* ctx) : WriteStepOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_outputs", &max_outputs_));
  }

 private:
  Status FillStep(OpKernelContext* ctx, Event* event) override {
    return AddAudioSummaries(ctx->input(3), Text(ctx, 2), max_outputs_,
                             *ctx->input(4).base<float>(),
                             event->mutable_summary());
  }

  int32 max_outputs_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("WriteAudioSummary").Device(DEVICE_CPU),
                        WriteAudioSummaryOp);

class WriteGraphSummaryOp final : public WriteStepOp {
 public:
  using WriteStepOp::WriteStepOp;

 private:
  Status FillStep(OpKernelContext* ctx, Event* event) override {
    const std::string& bytes = Text(ctx, 2);
    GraphDef graph;
    if (bytes.size() > size_t{std::numeric_limits<int>::max()} ||
        !graph.ParseFromString(bytes)) {
      return errors::DataLoss(
          "tensor must be a serialized GraphDef, and could not be parsed");
    }
    event->set_graph_def(bytes);
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(Name("WriteGraphSummary").Device(DEVICE_CPU),
                        WriteGraphSummaryOp);

class ImportEventOp final : public WriteOp {
 public:
  using WriteOp::WriteOp;

 private:
  Status Fill(OpKernelContext* ctx, Event* event) override {
    if (event->ParseFromString(Text(ctx, 1))) return OkStatus();
    return errors::DataLoss(
        "event must be a serialized Event, and could not be parsed");
  }
};
REGISTER_KERNEL_BUILDER(Name("ImportEvent").Device(DEVICE_CPU), ImportEventOp);

}  // namespace
}  // namespace tensorwright
