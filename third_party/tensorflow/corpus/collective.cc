// SPDX-License-Identifier: Apache-2.0
// Asynchronous reductions of a library outside: a queue of closures, persistent
// tensors, device names, versions asked of the preprocessor.
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <thread>
#include <unordered_map>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/public/version.h"

using namespace tensorflow;

namespace corpus {
namespace collective {
namespace {

#if TF_MAJOR_VERSION >= 2 || TF_MINOR_VERSION >= 13
using Int = int64_t;
#else
using Int = long long;
#endif

Status ConvertStatus(int code, const std::string& reason) {
  switch (code) {
    case 0:
      return Status::OK();
    case 1:
      return errors::Unknown(reason);
    case 2:
      return errors::FailedPrecondition(reason);
    case 3:
      return errors::Aborted(reason);
    case 4:
      return Status(error::INVALID_ARGUMENT, reason);
    default:
      return errors::Unknown("Unknown error.");
  }
}

class PersistentBuffer {
 public:
  PersistentBuffer(OpKernelContext* context, int64 size) {
    status_ = context->allocate_persistent(DT_INT8, TensorShape({size}),
                                           &tensor_, nullptr);
  }
  Status status() const { return status_; }
  const void* AccessData(OpKernelContext* context) {
    return (const void*)tensor_.AccessTensor(context)->tensor_data().data();
  }

 private:
  Status status_;
  PersistentTensor tensor_;
};

int GetDeviceID(OpKernelContext* context) {
  int device = -1;
  if (context->device() != nullptr) {
    const string& name = context->device()->name();
    device = name.empty() ? -1 : static_cast<int>(name.back() - '0');
  }
  return device;
}

}  // namespace

class AllreduceOp : public AsyncOpKernel {
 public:
  explicit AllreduceOp(OpKernelConstruction* context) : AsyncOpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("reduce_op", &reduce_op_));
    OP_REQUIRES_OK(context,
                   context->GetAttr("prescale_factor", &prescale_factor_));
  }

  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    OP_REQUIRES_OK_ASYNC(context, ConvertStatus(0, ""), done);
    auto node_name = name();
    auto device = GetDeviceID(context);
    auto tensor = context->input(0);
    Tensor* output;
    OP_REQUIRES_OK_ASYNC(
        context, context->allocate_output(0, tensor.shape(), &output), done);
    auto buffer = std::make_shared<PersistentBuffer>(context, 16);
    OP_REQUIRES_OK_ASYNC(context, buffer->status(), done);
    std::thread([=, this]() {
      auto from = tensor.flat<float>();
      auto to = output->flat<float>();
      for (Int i = 0; i < from.size(); ++i) {
        to(i) = from(i) * prescale_factor_ + (device < 0 ? 1 : 0);
      }
      context->SetStatus(
          ConvertStatus(reduce_op_, "reduce_op of " + node_name));
      if (buffer->AccessData(context) == nullptr) LOG(ERROR) << "no buffer";
      done();
    }).detach();
  }

 private:
  int reduce_op_;
  float prescale_factor_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusAllreduce").Device(DEVICE_CPU),
                        AllreduceOp);

REGISTER_OP("CorpusAllreduce")
    .Attr("T: {float32}")
    .Attr("reduce_op: int")
    .Attr("prescale_factor: float = 1.0")
    .Input("tensor: T")
    .Output("sum: T")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return Status::OK();
    })
    .Doc(R"doc(
Scales a tensor in another thread.

Arguments
    tensor:     A tensor to scale.

Output
    sum:    A tensor with the same shape as `tensor`.
)doc");

}  // namespace collective
}  // namespace corpus
