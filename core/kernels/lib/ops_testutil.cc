// SPDX-License-Identifier: Apache-2.0
// Runs one kernel on one CPU device.
#include "core/kernels/lib/ops_testutil.h"

#include "core/framework/op_registration.h"

#define EIGEN_USE_THREADS
#include "core/framework/device_attributes.pb.h"
#include "core/framework/op.h"
#include "core/framework/shape_contract.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorwright {

TestCpuDevice::TestCpuDevice(int num_threads)
    : DeviceBase(Env::Default()),
      threads_(Env::Default(), "test", num_threads),
      attributes_(std::make_unique<DeviceAttributes>()) {
  workers_.num_threads = num_threads;
  workers_.workers = &pool_;
  set_tensorflow_cpu_worker_threads(&workers_);
  eigen_device_ = std::make_unique<Eigen::ThreadPoolDevice>(
      pool_.AsEigenThreadPool(), num_threads);
  set_eigen_cpu_device(eigen_device_.get());
  attributes_->set_name("/job:localhost/replica:0/task:0/device:CPU:0");
  attributes_->set_device_type(DEVICE_CPU);
}

TestCpuDevice::~TestCpuDevice() = default;

const DeviceAttributes& TestCpuDevice::attributes() const {
  return *attributes_;
}

KernelRunner::KernelRunner(int num_threads)
    : device_(num_threads), step_container_(0, [this](const std::string& name) {
        resources_.Cleanup(name).IgnoreError();
      }) {}

KernelRunner::~KernelRunner() = default;

Status KernelRunner::InitOp(const std::string& op,
                            const std::vector<TestAttr>& attrs) {
  NodeDef node;
  node.set_name("test");
  node.set_op(op);
  for (const TestAttr& attr : attrs) {
    (*node.mutable_attr())[attr.name] = attr.value;
  }
  return InitNode(std::move(node));
}

Status KernelRunner::InitNode(NodeDef node_def) {
  const OpDef* op_def;
  TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUpOpDef(node_def.op(), &op_def));
  AddDefaultsToNodeDef(*op_def, &node_def);
  if (node_def.input_size() == 0) {
    DataTypeVector types;
    TF_RETURN_IF_ERROR(InputTypesForNode(node_def, *op_def, &types));
    for (size_t i = 0; i < types.size(); ++i) node_def.add_input("input");
  }
  node_def_ = std::move(node_def);
  Status status;
  kernel_ = CreateOpKernel(DEVICE_CPU, &device_, cpu_allocator(), node_def_,
                           /*graph_def_version=*/24, &status);
  if (kernel_ != nullptr) outputs_.resize(kernel_->num_outputs());
  return status;
}

void KernelRunner::AddInput(Tensor value) {
  tensors_.push_back(std::move(value));
  inputs_.emplace_back(&tensors_.back());
}

void KernelRunner::AddRefInput(Tensor value) {
  tensors_.push_back(std::move(value));
  mutexes_.emplace_back();
  inputs_.emplace_back(&mutexes_.back(), &tensors_.back());
}

void KernelRunner::ClearInputs() {
  inputs_.clear();
  tensors_.clear();
  mutexes_.clear();
}

Status KernelRunner::PromisedShapes(
    std::vector<PartialTensorShape>* promised) const {
  const OpRegistrationData* op;
  TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUp(node_def_.op(), &op));
  std::vector<TensorShape> shapes;
  std::vector<const Tensor*> values;
  for (const Tensor& t : tensors_) {
    shapes.push_back(t.shape());
    values.push_back(&t);
  }
  bool used_values;
  return RunShapeFn(*op, node_def_, shapes, values, promised, &used_values);
}

Status KernelRunner::CheckOutputs(
    const std::vector<PartialTensorShape>& promised) const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Tensor* output = outputs_[i].tensor;
    if (output == nullptr || outputs_[i].mutex_if_ref != nullptr) continue;
    if (!promised[i].IsCompatibleWith(output->shape())) {
      return errors::Internal(node_def_.op(), ": the shape function promised ",
                              promised[i].DebugString(), " for output ", i,
                              ", the kernel made ",
                              output->shape().DebugString());
    }
  }
  return OkStatus();
}

Status KernelRunner::Run() {
  for (size_t i = 0; i < inputs_.size() && i < kernel_->input_types().size();
       ++i) {
    if (BaseType(kernel_->input_type(i)) != tensors_[i].dtype()) {
      return errors::InvalidArgument(node_def_.op(), ": input ", i, " must be ",
                                     DataTypeString(kernel_->input_type(i)),
                                     ", the test gives ",
                                     DataTypeString(tensors_[i].dtype()));
    }
  }
  std::vector<PartialTensorShape> promised;
  TF_RETURN_IF_ERROR(PromisedShapes(&promised));
  TF_RETURN_IF_ERROR(RunKernelOnly());
  return CheckOutputs(promised);
}

Status KernelRunner::RunKernelOnly() {
  for (OutputSlot& slot : outputs_) {
    slot.Clear();
    slot.value = Tensor();
  }
  for (TensorValue& input : inputs_) input.last_use = allow_forwarding_;
  OpKernelContext::Params params;
  params.op_kernel = kernel_.get();
  params.device = &device_;
  params.inputs = absl::MakeSpan(inputs_);
  params.outputs = absl::MakeSpan(outputs_);
  params.resource_manager = &resources_;
  params.step_container = &step_container_;
  params.cancellation_manager = &cancellation_;
  params.frame_iter = FrameAndIter(0, 0);
  OpKernelContext ctx(&params);
  kernel_->Compute(&ctx);
  return ctx.status();
}

}  // namespace tensorwright
