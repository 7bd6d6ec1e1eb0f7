// SPDX-License-Identifier: Apache-2.0
// Devices of the stand-in, with kernels of its own.
#include "core/common_runtime/gpu/gpu_device.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/runtime_testutil.h"
#include "core/common_runtime/session_threads.h"
#include "core/framework/gpu_device_context.h"
#include "core/lib/gpu/stand_in.h"
#include "core/lib/gpu/stand_in_device.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: its tests.

// y = x + 1, after `ms` milliseconds.
REGISTER_OP("TestGpuIncrement")
    .Input("x: float")
    .Output("y: float")
    .Attr("ms: int = 0")
    .SetShapeFn(shape_inference::UnchangedShape);
// Breaks its device, or the launch alone.
REGISTER_OP("TestGpuFault")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape);
// y [n] = 7, of as many MiB as x says; its input is in host memory.
REGISTER_OP("TestGpuLarge").Input("x: float").Output("y: float");

class GpuIncrementOp final : public OpKernel {
 public:
  explicit GpuIncrementOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("ms", &ms_));
  }
  void Compute(OpKernelContext* c) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, c->input(0).shape(), &y));
    // No reference to the tensors is kept: memory has the stream's order.
    const auto* from = static_cast<const float*>(c->input(0).data());
    auto* to = static_cast<float*>(y->data());
    const int64_t n = y->NumElements();
    gpu::stand_in::Enqueue(GpuStream(c), [=, ms = ms_] {
      absl::SleepFor(absl::Milliseconds(ms));
      for (int64_t i = 0; i < n; ++i) to[i] = from[i] + 1;
    });
  }

 private:
  int64_t ms_ = 0;
};
class GpuLargeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* c) override {
    const auto mib = static_cast<int64_t>(*c->input(0).base<float>());
    Tensor* y = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, TensorShape({mib << 18}), &y));
  }
};
class GpuFaultOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* c) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, c->input(0).shape(), &y));
    gpu::stand_in::Enqueue(GpuStream(c), [] {
      gpu::stand_in::ReportError(errors::Internal("an illegal address"));
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("TestGpuIncrement").Device(DEVICE_GPU),
                        GpuIncrementOp);
REGISTER_KERNEL_BUILDER(Name("TestGpuFault").Device(DEVICE_GPU), GpuFaultOp);
REGISTER_KERNEL_BUILDER(Name("TestGpuLarge").Device(DEVICE_GPU).HostMemory("x"),
                        GpuLargeOp);

// The driver reads the environment when it is first used.
const bool kEnvironment = [] {
  setenv("TW_GPU", "off", 1);  // The library is linked in.
  setenv("TW_GPU_STAND_IN_DEVICES", "3", 1);
  setenv("TW_GPU_STAND_IN_MEMORY", "64", 1);
  setenv("TW_GPU_DELAY", "300", 1);
  return true;
}();

Tensor Values(int64_t n, float first) {
  Tensor t(DT_FLOAT, {n});
  for (int64_t i = 0; i < n; ++i) t.base<float>()[i] = first + i;
  return t;
}

std::vector<float> Read(const Tensor& t) {
  return {t.base<float>(), t.base<float>() + t.NumElements()};
}

Status Devices(const ConfigProto& config,
               std::vector<std::unique_ptr<Device>>* devices) {
  static auto& threads = *new std::shared_ptr<SessionThreads>;
  TF_CHECK_OK(SessionThreads::ForConfig(config, &threads));
  return DeviceFactory::AddDevices(config, "/job:localhost/replica:0/task:0",
                                   threads.get(), devices);
}

class GpuDeviceTest : public ::testing::Test {
 protected:
  static ConfigProto Config(int device) {
    ConfigProto config;
    config.mutable_gpu_options()->set_visible_device_list(absl::StrCat(device));
    return config;
  }

  Builder b_;
};

TEST_F(GpuDeviceTest, ChainsOfLateKernelsReuseMemoryAtOnce) {
  const OutputRef x = b_.Placeholder();
  OutputRef y = x;
  for (int i = 0; i < 20; ++i) y = b_.Op("TestGpuIncrement", {y});
  OutputRef z = x;
  for (int i = 0; i < 20; ++i) z = b_.Op("TestGpuIncrement", {z});
  Runner r(b_, Config(0));
  for (int run = 0; run < 20; ++run) {
    const Result result =
        r.Run({y, z}, {}, {{x, Values(1000 + run, run * 1.0f)}});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(Read(result.values[0]), Read(Values(1000 + run, run + 20.0f)));
    EXPECT_EQ(Read(result.values[1]), Read(Values(1000 + run, run + 20.0f)));
  }
}

TEST_F(GpuDeviceTest, EmptyTensorsCross) {
  const OutputRef x = b_.Placeholder();
  const OutputRef y = b_.Op("TestGpuIncrement", {x});
  Runner r(b_, Config(0));
  const Result result = r.Run({y}, {}, {{x, Tensor(DT_FLOAT, {0, 3})}});
  ASSERT_EQ(result.status, OkStatus());
  EXPECT_EQ(result.values[0].shape(), TensorShape({0, 3}));
}

TEST_F(GpuDeviceTest, SeveralDevicesOfOneGraph) {
  const OutputRef x = b_.Placeholder();
  b_.device = "/device:GPU:0";
  const OutputRef y = b_.Op("TestGpuIncrement", {x});
  b_.device = "/device:GPU:1";
  const OutputRef z = b_.Op("TestGpuIncrement", {y});
  Runner r(b_);
  const Result result = r.Run({y, z}, {}, {{x, Values(5, 1)}});
  ASSERT_EQ(result.status, OkStatus());
  EXPECT_EQ(Read(result.values[0]), Read(Values(5, 2)));
  EXPECT_EQ(Read(result.values[1]), Read(Values(5, 3)));
}

TEST_F(GpuDeviceTest, OptionsChooseDevices) {
  std::vector<std::unique_ptr<Device>> devices;
  ConfigProto config;
  config.mutable_gpu_options()->set_visible_device_list("2,0");
  ASSERT_EQ(Devices(config, &devices), OkStatus());
  ASSERT_EQ(devices.size(), 3);
  EXPECT_EQ(devices[1]->name(), "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_TRUE(absl::StrContains(devices[1]->attributes().physical_device_desc(),
                                "device: 2"));
  EXPECT_EQ(devices[2]->tensorflow_gpu_device_info()->gpu_id, 0);
  for (const char* list : {"3", "-1", "0,0", "a", "0,"}) {
    devices.clear();
    config.mutable_gpu_options()->set_visible_device_list(list);
    const Status s = Devices(config, &devices);
    EXPECT_TRUE(errors::IsInvalidArgument(s)) << list << ": " << s;
    EXPECT_TRUE(absl::StrContains(s.message(), "visible_device_list")) << s;
  }
  devices.clear();
  config.mutable_gpu_options()->clear_visible_device_list();
  (*config.mutable_device_count())["GPU"] = 0;
  ASSERT_EQ(Devices(config, &devices), OkStatus());
  EXPECT_EQ(devices.size(), 1);
  (*config.mutable_device_count())["GPU"] = 2;
  config.mutable_gpu_options()->set_per_process_gpu_memory_fraction(1.5);
  EXPECT_TRUE(errors::IsInvalidArgument(Devices(config, &devices)));
}

TEST_F(GpuDeviceTest, LackOfMemoryNamesTheLargestTensors) {
  const OutputRef mib = b_.Placeholder();
  const OutputRef other = b_.Placeholder();
  const OutputRef first = b_.Op("TestGpuLarge", {mib});
  const OutputRef second = b_.Op("TestGpuLarge", {other});
  Runner r(b_, Config(0));
  const Result result = r.Run({first, second}, {},
                              {{mib, Tensor(20.0f)}, {other, Tensor(50.0f)}});
  ASSERT_TRUE(errors::IsResourceExhausted(result.status)) << result.status;
  EXPECT_TRUE(absl::StrContains(result.status.message(), "by allocator GPU_0"));
  EXPECT_TRUE(absl::StrContains(result.status.message(), "In use: "));
  // Memory is there again.
  EXPECT_EQ(r.Run({first}, {}, {{mib, Tensor(20.0f)}}).status, OkStatus());
}

TEST_F(GpuDeviceTest, AFaultFailsItsRunAndLaterOnes) {
  const OutputRef x = b_.Placeholder();
  const OutputRef y = b_.Op("TestGpuFault", {x});
  const OutputRef z = b_.Op("TestGpuIncrement", {x});
  Runner r(b_, Config(2));
  ASSERT_EQ(r.Run({z}, {}, {{x, Values(5, 1)}}).status, OkStatus());
  // Nothing is fetched: the run's end waits for the kernel.
  Status s = r.Run({}, {y.node}, {{x, Values(5, 1)}}).status;
  EXPECT_TRUE(errors::IsInternal(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "an illegal address")) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "TestGpuFault")) << s;
  s = r.Run({z}, {}, {{x, Values(5, 1)}}).status;
  EXPECT_TRUE(errors::IsInternal(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "started anew")) << s;
  // Other cards work, and so do new sessions of the CPU.
  Runner other(b_, Config(1));
  EXPECT_EQ(other.Run({z}, {}, {{x, Values(5, 1)}}).status, OkStatus());
}

TEST_F(GpuDeviceTest, HostCodeCannotTouchAGpusMemory) {
  GpuCard* card = nullptr;
  ASSERT_EQ(GpuCard::Get(1, GPUOptions(), &card), OkStatus());
  auto* p = static_cast<volatile char*>(
      card->device_allocator()->AllocateRaw(64, 1 << 20));
  ASSERT_NE(const_cast<char*>(p), nullptr);
  EXPECT_DEATH(p[100] = 1, "");
  EXPECT_DEATH((void)p[100], "");
  card->device_allocator()->DeallocateRaw(const_cast<char*>(p));
}

}  // namespace
}  // namespace tensorwright
