// SPDX-License-Identifier: Apache-2.0
// Measures what the framework costs per op: looking up, inferring attrs and
// shapes when a node is added; making a kernel; making the context of a call.
#include "benchmark/benchmark.h"
#include "core/framework/attr_inference.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/node_properties.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_contract.h"

namespace tensorwright {
namespace {

REGISTER_OP("BenchmarkMatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {float, double, int32, complex64, complex128}")
    .SetShapeFn(shape_inference::MatMulShape);

template <typename T>
class EmptyKernel final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* out;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0, 1}, 0, ctx->input(0).shape(), &out));
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("BenchmarkMatMul").Device(DEVICE_CPU), "T",
                          EmptyKernel, float, double, int32_t);

class BenchmarkDevice final : public DeviceBase {
 public:
  BenchmarkDevice() : DeviceBase(nullptr) {}
  Allocator* GetAllocator(AllocatorAttributes) override {
    return cpu_allocator();
  }
};

NodeDef MatMulNode() {
  NodeDef node;
  node.set_name("node");
  node.set_op("BenchmarkMatMul");
  node.add_input("a");
  node.add_input("b");
  const DataType types[] = {DT_FLOAT, DT_FLOAT};
  const int sizes[] = {-1, -1};
  TF_CHECK_OK(
      InferAttrs(OpRegistry::Global()->LookUp("BenchmarkMatMul")->op_def, types,
                 sizes, node.mutable_attr()));
  return node;
}

void BM_LookUpOp(benchmark::State& state) {
  for (auto _ : state) {
    const OpRegistrationData* data;
    TF_CHECK_OK(OpRegistry::Global()->LookUp("BenchmarkMatMul", &data));
    benchmark::DoNotOptimize(data);
  }
}
BENCHMARK(BM_LookUpOp);

void BM_InferAttrs(benchmark::State& state) {
  const OpDef& op = OpRegistry::Global()->LookUp("BenchmarkMatMul")->op_def;
  const DataType types[] = {DT_FLOAT, DT_FLOAT};
  const int sizes[] = {-1, -1};
  for (auto _ : state) {
    NodeDef node;
    TF_CHECK_OK(InferAttrs(op, types, sizes, node.mutable_attr()));
    benchmark::DoNotOptimize(node);
  }
}
BENCHMARK(BM_InferAttrs);

void BM_ShapeFunction(benchmark::State& state) {
  const auto* op = OpRegistry::Global()->LookUp("BenchmarkMatMul");
  const NodeDef node = MatMulNode();
  const TensorShape shapes[] = {TensorShape({2, 3}), TensorShape({3, 4})};
  std::vector<PartialTensorShape> out;
  for (auto _ : state) {
    bool used_values;
    TF_CHECK_OK(RunShapeFn(*op, node, shapes, {}, &out, &used_values));
  }
}
BENCHMARK(BM_ShapeFunction);

void BM_CreateKernel(benchmark::State& state) {
  BenchmarkDevice device;
  std::shared_ptr<const NodeProperties> props;
  TF_CHECK_OK(NodeProperties::CreateFromNodeDef(MatMulNode(),
                                                OpRegistry::Global(), &props));
  for (auto _ : state) {
    OpKernel* kernel;
    TF_CHECK_OK(CreateOpKernel(DEVICE_CPU, &device, cpu_allocator(), nullptr,
                               props, 24, &kernel));
    delete kernel;
  }
}
BENCHMARK(BM_CreateKernel);

// One call of a kernel that allocates (0) or forwards (1) its output.
void BM_CallKernel(benchmark::State& state) {
  BenchmarkDevice device;
  std::shared_ptr<const NodeProperties> props;
  TF_CHECK_OK(NodeProperties::CreateFromNodeDef(MatMulNode(),
                                                OpRegistry::Global(), &props));
  OpKernel* kernel;
  TF_CHECK_OK(CreateOpKernel(DEVICE_CPU, &device, cpu_allocator(), nullptr,
                             props, 24, &kernel));
  std::unique_ptr<OpKernel> owner(kernel);
  Tensor a(DT_FLOAT, TensorShape({1})), b(DT_FLOAT, TensorShape({1}));
  TensorValue inputs[] = {TensorValue(&a), TensorValue(&b)};
  inputs[0].last_use = state.range(0) == 1;
  OutputSlot output;
  OpKernelContext::Params params;
  params.op_kernel = kernel;
  params.device = &device;
  params.inputs = absl::MakeSpan(inputs);
  params.outputs = absl::MakeSpan(&output, 1);
  for (auto _ : state) {
    OpKernelContext ctx(&params);
    kernel->Compute(&ctx);
    output.value = Tensor();
    output.Clear();
  }
}
BENCHMARK(BM_CallKernel)->Arg(0)->Arg(1);

}  // namespace
}  // namespace tensorwright
