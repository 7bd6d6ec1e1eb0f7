// SPDX-License-Identifier: Apache-2.0
// OpsTestBase: runs one kernel on one CPU device, for tests and benchmarks.
//
//   class ReluOpTest : public OpsTestBase {};
//   TEST_F(ReluOpTest, ...) {
//     TF_ASSERT_OK(InitOp("Relu", {{"T", DT_FLOAT}}));
//     AddInput<float>({3}, {-1, 0, 2});
//     TF_ASSERT_OK(RunOpKernel());
//     ExpectOutput<float>(0, {3}, {0, 0, 2});
//   }
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_OPS_TESTUTIL_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_OPS_TESTUTIL_H_

#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/cancellation.h"
#include "core/framework/device_base.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/lib/core/thread_team.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/mutex.h"
#include "gtest/gtest.h"

#define TF_ASSERT_OK(...)                                        \
  do {                                                           \
    const ::tensorwright::Status tf_assert_status_(__VA_ARGS__); \
    ASSERT_TRUE(tf_assert_status_.ok()) << tf_assert_status_;    \
  } while (0)
#define TF_EXPECT_OK(...)                                        \
  do {                                                           \
    const ::tensorwright::Status tf_expect_status_(__VA_ARGS__); \
    EXPECT_TRUE(tf_expect_status_.ok()) << tf_expect_status_;    \
  } while (0)

namespace tensorwright {

// A CPU device with an intra-op pool of its own.
class TestCpuDevice final : public DeviceBase {
 public:
  explicit TestCpuDevice(int num_threads = 2);
  ~TestCpuDevice() override;

  Allocator* GetAllocator(AllocatorAttributes) override {
    return cpu_allocator();
  }
  const DeviceAttributes& attributes() const override;

 private:
  thread::TeamPool threads_;
  thread::ThreadPool pool_{&threads_};
  CpuWorkerThreads workers_;
  std::unique_ptr<Eigen::ThreadPoolDevice> eigen_device_;
  std::unique_ptr<DeviceAttributes> attributes_;
};

// One attr of a node under test, of any type that SetAttrValue takes.
struct TestAttr {
  template <typename T>
  TestAttr(std::string name, const T& v) : name(std::move(name)) {
    SetAttrValue(v, &value);
  }
  std::string name;
  AttrValue value;
};

// Runs one kernel, as often as wanted.  Benchmarks also use it, without
// GoogleTest's fixtures.
class KernelRunner {
 public:
  explicit KernelRunner(int num_threads = 2);
  ~KernelRunner();

  // Makes the kernel of such a node; attrs that are missing get their defaults.
  Status InitOp(const std::string& op, const std::vector<TestAttr>& attrs = {});
  Status InitNode(NodeDef node_def);

  // Inputs in order.  A reference is to a tensor that the runner keeps.
  void AddInput(Tensor value);
  void AddRefInput(Tensor value);
  // From now on the kernel may take the inputs' buffers for its outputs.
  void AllowForwarding() { allow_forwarding_ = true; }
  // Replaces the value of one input.
  void SetInput(int index, Tensor value) { tensors_[index] = std::move(value); }
  void ClearInputs();

  // Checks the shapes by the op's shape function, as a session does, calls the
  // kernel, and checks that its outputs have the shapes promised.
  Status Run();
  // Only calls the kernel; for timing.
  Status RunKernelOnly();

  OpKernel* kernel() { return kernel_.get(); }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const Tensor& input(int index) const { return tensors_[index]; }
  // nullptr if the kernel did not set it.
  Tensor* output(int index) { return outputs_[index].tensor; }
  TestCpuDevice* device() { return &device_; }
  ResourceMgr* resource_manager() { return &resources_; }

 private:
  // The shapes that the shape function promises for the outputs; its error for
  // bad inputs.
  Status PromisedShapes(std::vector<PartialTensorShape>* promised) const;
  Status CheckOutputs(const std::vector<PartialTensorShape>& promised) const;

  TestCpuDevice device_;
  ResourceMgr resources_;
  ScopedStepContainer step_container_;
  CancellationManager cancellation_;
  NodeDef node_def_;
  std::unique_ptr<OpKernel> kernel_;
  std::deque<Tensor> tensors_;  // Elements keep their addresses.
  std::deque<mutex> mutexes_;
  std::vector<TensorValue> inputs_;
  std::vector<OutputSlot> outputs_;
  bool allow_forwarding_ = false;
};

// A tensor of that shape and those elements, in row-major order.
template <typename T>
Tensor MakeTensor(const TensorShape& shape, const std::vector<T>& values) {
  Tensor t(DataTypeToEnum<T>::value, shape);
  EXPECT_EQ(t.NumElements(), static_cast<int64_t>(values.size()));
  std::copy(values.begin(), values.end(), t.base<T>());
  return t;
}

// Equal dtype, shape and elements; floats within `tolerance`, absolute and
// relative.
template <typename T>
void ExpectTensor(const Tensor& actual, const TensorShape& shape,
                  const std::vector<T>& values, double tolerance = 0) {
  ASSERT_EQ(actual.dtype(), DataTypeToEnum<T>::value);
  ASSERT_EQ(actual.shape(), shape);
  ASSERT_EQ(actual.NumElements(), static_cast<int64_t>(values.size()));
  const auto flat = Flat<T>(actual);
  for (size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(values[i])) {
        EXPECT_TRUE(std::isnan(flat[i])) << "element " << i;
      } else if (std::isinf(values[i])) {
        EXPECT_EQ(flat[i], values[i]) << "element " << i;
      } else {
        EXPECT_NEAR(flat[i], values[i], tolerance * (1 + std::abs(values[i])))
            << "element " << i;
      }
    } else {
      EXPECT_EQ(flat[i], values[i]) << "element " << i;
    }
  }
}

class OpsTestBase : public ::testing::Test {
 protected:
  Status InitOp(const std::string& op,
                const std::vector<TestAttr>& attrs = {}) {
    return runner_.InitOp(op, attrs);
  }
  Status InitNode(NodeDef node_def) {
    return runner_.InitNode(std::move(node_def));
  }
  template <typename T>
  void AddInput(const TensorShape& shape, const std::vector<T>& values) {
    runner_.AddInput(MakeTensor<T>(shape, values));
  }
  template <typename T>
  void AddRefInput(const TensorShape& shape, const std::vector<T>& values) {
    runner_.AddRefInput(MakeTensor<T>(shape, values));
  }
  Status RunOpKernel() { return runner_.Run(); }
  Tensor* GetOutput(int index) { return runner_.output(index); }

  template <typename T>
  void ExpectOutput(int index, const TensorShape& shape,
                    const std::vector<T>& values, double tolerance = 0) {
    ASSERT_NE(GetOutput(index), nullptr);
    ExpectTensor<T>(*GetOutput(index), shape, values, tolerance);
  }
  // The run fails with that code and those words.
  void ExpectError(error::Code code, const std::string& words) {
    Status s = RunOpKernel();
    EXPECT_EQ(s.code(), code) << s;
    EXPECT_NE(s.error_message().find(words), std::string::npos)
        << s << "\nwanted: " << words;
  }

  KernelRunner runner_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_OPS_TESTUTIL_H_
