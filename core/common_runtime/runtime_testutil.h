// SPDX-License-Identifier: Apache-2.0
// For tests of the runtime: a graph builder, a session around it, and small ops
// whose kernels sleep, fail, wait or count.  Include it in one file of a test.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_RUNTIME_TESTUTIL_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_RUNTIME_TESTUTIL_H_

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "core/common_runtime/direct_session.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/cancellation.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/op_registration.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/threadpool.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {
namespace testing_runtime {

// How many TestSleep kernels are running, and the most that were at once.
inline std::atomic<int> sleeping{0};
inline std::atomic<int> most_sleeping{0};
// Calls of TestAdd's kernel.
inline std::atomic<int> adds{0};

REGISTER_OP("TestAdd")
    .Input("x: float")
    .Input("y: float")
    .Output("z: float")
    .SetShapeFn([](shape_inference::InferenceContext* c) -> Status {
      shape_inference::ShapeHandle out;
      TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
      c->set_output(0, out);
      return OkStatus();
    });
REGISTER_OP("TestLess")
    .Input("x: float")
    .Input("y: float")
    .Output("z: bool")
    .SetShapeFn(shape_inference::ScalarShape);
// `wide`: reports that it has taken every thread of a pool.
REGISTER_OP("TestSleep")
    .Input("x: float")
    .Output("y: float")
    .Attr("ms: int")
    .Attr("wide: bool = false")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("TestFail")
    .Input("x: float")
    .Output("y: float")
    .Attr("message: string")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("TestThrow")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape);
// Never ends by itself.
REGISTER_OP("TestWait")
    .Input("x: float")
    .Output("y: float")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnchangedShape);
// Adds 1, in place if it may.
REGISTER_OP("TestIncrement")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape);

class TestAddOp final : public OpKernel {
 public:
  explicit TestAddOp(OpKernelConstruction* c) : OpKernel(c, false) {}
  void Compute(OpKernelContext* c) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(c, c->forward_input_or_allocate_output(
                          {0, 1}, 0, c->input(0).shape(), &out));
    const float* x = c->input(0).base<float>();
    const float* y = c->input(1).base<float>();
    float* z = out->base<float>();
    for (int64_t i = 0; i < out->NumElements(); ++i) z[i] = x[i] + y[i];
    adds.fetch_add(1, std::memory_order_relaxed);
  }
};
class TestLessOp final : public OpKernel {
 public:
  explicit TestLessOp(OpKernelConstruction* c) : OpKernel(c, false) {}
  void Compute(OpKernelContext* c) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, TensorShape(), &out));
    *out->base<bool>() =
        *c->input(0).base<float>() < *c->input(1).base<float>();
  }
};
class TestSleepOp final : public OpKernel {
 public:
  explicit TestSleepOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("ms", &ms_));
    OP_REQUIRES_OK(c, c->GetAttr("wide", &wide_));
  }
  void Compute(OpKernelContext* c) override {
    if (wide_) thread::ThreadPool::CountCall(2, 2);
    const int now = ++sleeping;
    int most = most_sleeping.load();
    while (now > most && !most_sleeping.compare_exchange_weak(most, now)) {
    }
    absl::SleepFor(absl::Milliseconds(ms_));
    --sleeping;
    c->set_output(0, c->input(0));
  }

 private:
  int64_t ms_ = 0;
  bool wide_ = false;
};
class TestFailOp final : public OpKernel {
 public:
  explicit TestFailOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("message", &message_));
  }
  void Compute(OpKernelContext* c) override {
    c->SetStatus(errors::OutOfRange(message_));
  }

 private:
  std::string message_;
};
class TestThrowOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {
    throw std::runtime_error("out of luck");
  }
};
class TestWaitOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* c, DoneCallback done) override {
    CancellationManager* manager = c->cancellation_manager();
    const bool registered =
        manager->RegisterCallback(manager->get_cancellation_token(), [c, done] {
          c->SetStatus(errors::Cancelled("TestWait was cancelled"));
          done();
        });
    if (!registered) {
      c->SetStatus(errors::Cancelled("TestWait came too late"));
      done();
    }
  }
};
class TestIncrementOp final : public OpKernel {
 public:
  explicit TestIncrementOp(OpKernelConstruction* c) : OpKernel(c, false) {}
  void Compute(OpKernelContext* c) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(c, c->forward_input_or_allocate_output(
                          {0}, 0, c->input(0).shape(), &out));
    for (int64_t i = 0; i < out->NumElements(); ++i) {
      out->base<float>()[i] = c->input(0).base<float>()[i] + 1;
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("TestAdd").Device(DEVICE_CPU), TestAddOp);
REGISTER_KERNEL_BUILDER(Name("TestLess").Device(DEVICE_CPU), TestLessOp);
REGISTER_KERNEL_BUILDER(Name("TestSleep").Device(DEVICE_CPU), TestSleepOp);
REGISTER_KERNEL_BUILDER(Name("TestFail").Device(DEVICE_CPU), TestFailOp);
REGISTER_KERNEL_BUILDER(Name("TestThrow").Device(DEVICE_CPU), TestThrowOp);
REGISTER_KERNEL_BUILDER(Name("TestWait").Device(DEVICE_CPU), TestWaitOp);
REGISTER_KERNEL_BUILDER(Name("TestIncrement").Device(DEVICE_CPU),
                        TestIncrementOp);

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

inline AttrValue Attr(int64_t v) {
  AttrValue a;
  a.set_i(v);
  return a;
}
inline AttrValue Attr(bool v) {
  AttrValue a;
  a.set_b(v);
  return a;
}
inline AttrValue Attr(const std::string& v) {
  AttrValue a;
  a.set_s(v);
  return a;
}
inline AttrValue Attr(const char* v) { return Attr(std::string(v)); }
inline AttrValue Attr(DataType v) {
  AttrValue a;
  a.set_type(v);
  return a;
}
inline AttrValue Attr(const TensorShape& v) {
  AttrValue a;
  v.AsProto(a.mutable_shape());
  return a;
}
inline AttrValue Attr(const Tensor& v) {
  AttrValue a;
  v.AsProtoField(a.mutable_tensor());
  return a;
}

// Grows a LiveGraph; a mistake ends the test program.
class Builder {
 public:
  Builder() : graph(std::make_shared<LiveGraph>()) {}

  StatusOr<Node*> TryOp(const std::string& op,
                        const std::vector<OutputRef>& inputs,
                        const Attrs& attrs = {}, const std::string& name = "",
                        const std::vector<Node*>& controls = {}) {
    NodeArgs args;
    args.op = op;
    args.name = name;
    args.device = device;
    args.inputs = inputs;
    std::vector<int> sizes;
    const OpRegistrationData* data = nullptr;
    TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUp(op, &data));
    for (const auto& arg : data->op_def.input_arg()) {
      // In these tests a list is the only argument.
      sizes.push_back(arg.number_attr().empty() && arg.type_list_attr().empty()
                          ? -1
                          : static_cast<int>(inputs.size()));
    }
    args.arg_sizes = sizes;
    args.control_inputs = controls;
    args.attrs = attrs;
    return graph->AddNode(args);
  }

  OutputRef Op(const std::string& op, const std::vector<OutputRef>& inputs,
               const Attrs& attrs = {}, const std::string& name = "",
               const std::vector<Node*>& controls = {}) {
    StatusOr<Node*> node = TryOp(op, inputs, attrs, name, controls);
    TF_CHECK_OK(node.status());
    return {*node, 0};
  }

  OutputRef Const(const Tensor& t, const std::vector<Node*>& controls = {}) {
    return Op("Const", {}, {{"dtype", Attr(t.dtype())}, {"value", Attr(t)}}, "",
              controls);
  }
  OutputRef Const(float v) { return Const(Tensor(v)); }
  OutputRef Placeholder(DataType dtype = DT_FLOAT) {
    return Op("Placeholder", {}, {{"dtype", Attr(dtype)}});
  }
  OutputRef Add(OutputRef x, OutputRef y) { return Op("TestAdd", {x, y}); }
  Node* NoOp(const std::vector<Node*>& controls) {
    return Op("NoOp", {}, {}, "", controls).node;
  }

  // while (x < limit) x = body(x); returns the Exit.
  template <typename Body>
  OutputRef While(OutputRef start, OutputRef limit, const std::string& name,
                  const Body& body, int parallel_iterations = 10) {
    const auto enter = [&](OutputRef v, bool constant) {
      return Op("Enter", {v},
                {{"frame_name", Attr(name)},
                 {"is_constant", Attr(constant)},
                 {"parallel_iterations", Attr(int64_t{parallel_iterations})}});
    };
    const OutputRef entered = enter(start, false);
    const OutputRef limit_in = enter(limit, true);
    const OutputRef merge = Op("Merge", {entered, entered});
    const OutputRef cond = Op("LoopCond", {Op("TestLess", {merge, limit_in})});
    const OutputRef split = Op("Switch", {merge, cond});
    const OutputRef next =
        Op("NextIteration", {body(OutputRef{split.node, 1})});
    TF_CHECK_OK(graph->UpdateInput(merge.node, 1, next));
    return Op("Exit", {OutputRef{split.node, 0}});
  }

  std::shared_ptr<LiveGraph> graph;
  std::string device;
};

struct Result {
  Status status;
  std::vector<Tensor> values;
  RunMetadata metadata;

  float Scalar(size_t i = 0) const { return *values[i].base<float>(); }
};

// A session on a builder's graph.
class Runner {
 public:
  explicit Runner(const Builder& builder, const ConfigProto& config = {}) {
    auto made = DirectSession::New(builder.graph, config);
    TF_CHECK_OK(made.status());
    session = *std::move(made);
  }

  Result Run(const std::vector<OutputRef>& fetches,
             const std::vector<Node*>& targets = {},
             const std::vector<std::pair<OutputRef, Tensor>>& feeds = {},
             const RunOptions& options = {}, const RunHooks& hooks = {}) {
    NodeSignature signature;
    std::vector<Tensor> values;
    for (const auto& [ref, value] : feeds) {
      signature.feeds.push_back(ref);
      values.push_back(value);
    }
    signature.fetches = fetches;
    signature.targets = targets;
    Result result;
    auto plan = session->GetPlan(signature);
    result.status = plan.status();
    if (!plan.ok()) return result;
    result.status = session->RunCallable(
        **plan, &options, values, &result.values, &result.metadata, hooks);
    return result;
  }

  std::unique_ptr<DirectSession> session;
};

inline ConfigProto Cpus(int n) {
  ConfigProto config;
  (*config.mutable_device_count())["CPU"] = n;
  return config;
}
inline ConfigProto Threads(int inter, int intra = 1) {
  ConfigProto config;
  config.set_inter_op_parallelism_threads(inter);
  config.set_intra_op_parallelism_threads(intra);
  return config;
}

}  // namespace testing_runtime
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_RUNTIME_TESTUTIL_H_
