// SPDX-License-Identifier: Apache-2.0
// A device whose memory the host cannot read: every byte in it is inverted, so
// code that looks at it without a copy sees something else.
#include "core/common_runtime/memory_copies.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/runtime_testutil.h"
#include "core/framework/allocator.h"
#include "core/platform/env.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: its tests.

std::atomic<int> copies_to_device{0};
std::atomic<int> copies_to_host{0};

class FarAllocator final : public Allocator {
 public:
  std::string Name() override { return "far"; }
  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    return cpu_allocator()->AllocateRaw(alignment, num_bytes);
  }
  void DeallocateRaw(void* ptr) override {
    cpu_allocator()->DeallocateRaw(ptr);
  }
  bool IsHostMemory() const override { return false; }
};

// Turns the bytes of either memory into the other's.
void Invert(const Tensor& from, Tensor* to) {
  const char* src = static_cast<const char*>(from.data());
  char* dst = static_cast<char*>(to->data());
  for (size_t i = 0; i < from.TotalBytes(); ++i) dst[i] = ~src[i];
}

class FarDevice final : public Device {
 public:
  explicit FarDevice(const std::string& name)
      : Device(Env::Default(),
               BuildDeviceAttributes(name, "FAR", 1 << 20, "")) {}

  Allocator* GetAllocator(AllocatorAttributes attributes) override {
    static auto* const far = new FarAllocator;
    return attributes.on_host() ? cpu_allocator() : far;
  }
  DeviceContext* ContextFor(const NodeDef&) override { return &context_; }
  void CopyFromHost(const Tensor& host, DeviceContext*, Tensor* device,
                    StatusCallback done) override {
    ++copies_to_device;
    Invert(host, device);
    done(OkStatus());
  }
  void CopyToHost(const Tensor& device, DeviceContext* context, Tensor* host,
                  StatusCallback done) override {
    ++copies_to_host;
    if (context != &context_) return done(errors::Internal("wrong context"));
    Invert(device, host);
    done(OkStatus());
  }

 private:
  DeviceContext context_;
};

class FarFactory final : public DeviceFactory {
 public:
  Status CreateDevices(const ConfigProto& config, const std::string& prefix,
                       SessionThreads*,
                       std::vector<std::unique_ptr<Device>>* devices) override {
    const auto it = config.device_count().find("FAR");
    const int n = it == config.device_count().end() ? 0 : it->second;
    for (int i = 0; i < n; ++i) {
      devices->push_back(
          std::make_unique<FarDevice>(absl::StrCat(prefix, "/device:FAR:", i)));
    }
    return OkStatus();
  }
};
const RegisterLocalDeviceFactory<FarFactory> kRegistered("FAR", 70);

Status FillShape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

// y [dims] = value, with dims in the memory that the op's name tells.
REGISTER_OP("TestFillNear")
    .Input("dims: int64")
    .Input("value: float")
    .Output("y: float")
    .SetShapeFn(FillShape);
REGISTER_OP("TestFillFar")
    .Input("dims: int64")
    .Input("value: float")
    .Output("y: float")
    .SetShapeFn(FillShape);
// The shape of x, in host memory.
REGISTER_OP("TestDims").Input("x: float").Output("dims: int64");
// The sum of x, which is wanted in host memory; the sum is in the device's.
REGISTER_OP("TestSumNear").Input("x: float").Output("y: float");

template <typename T>
std::vector<T> Read(const Tensor& t, bool on_host) {
  Tensor host(t.dtype(), t.shape());
  if (on_host) {
    host = t;
  } else {
    Invert(t, &host);
  }
  return std::vector<T>(host.base<T>(), host.base<T>() + t.NumElements());
}

class FillOp final : public OpKernel {
 public:
  explicit FillOp(OpKernelConstruction* c) : OpKernel(c) {
    dims_on_host_ = c->input_memory_types()[0] == HOST_MEMORY;
  }
  void Compute(OpKernelContext* c) override {
    OP_REQUIRES(c,
                c->input_alloc_attr(0).on_host() == dims_on_host_ &&
                    !c->input_alloc_attr(1).on_host() &&
                    !c->output_alloc_attr(0).on_host() &&
                    c->op_device_context() != nullptr,
                errors::Internal("the context says other memory"));
    TensorShape shape;
    for (const int64_t d : Read<int64_t>(c->input(0), dims_on_host_)) {
      OP_REQUIRES(c, d >= 0 && d < 100, errors::Internal("dims: garbage ", d));
      shape.AddDim(d);
    }
    Tensor filled(DT_FLOAT, shape);
    const float value = Read<float>(c->input(1), false)[0];
    std::fill_n(filled.base<float>(), filled.NumElements(), value);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, shape, &y));
    Invert(filled, y);
  }

 private:
  bool dims_on_host_ = false;
};
class DimsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* c) override {
    Tensor* dims = nullptr;
    OP_REQUIRES_OK(
        c, c->allocate_output(0, TensorShape({c->input(0).dims()}), &dims));
    for (int i = 0; i < c->input(0).dims(); ++i) {
      dims->base<int64_t>()[i] = static_cast<int64_t>(c->input(0).dim_size(i));
    }
  }
};
class SumNearOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* c) override {
    float sum = 0;
    for (const float x : Read<float>(c->input(0), true)) sum += x;
    Tensor* y = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, TensorShape(), &y));
    Invert(Tensor(sum), y);
  }
};
// Constants have no kernel in a plan, but need one to be placed.
class NeverOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* c) override {
    c->SetStatus(errors::Internal("a constant has run"));
  }
};
REGISTER_KERNEL_BUILDER(Name("TestFillNear").Device("FAR").HostMemory("dims"),
                        FillOp);
REGISTER_KERNEL_BUILDER(Name("TestFillFar").Device("FAR"), FillOp);
REGISTER_KERNEL_BUILDER(Name("TestDims").Device("FAR").HostMemory("dims"),
                        DimsOp);
REGISTER_KERNEL_BUILDER(Name("TestSumNear").Device("FAR").HostMemory("x"),
                        SumNearOp);
REGISTER_KERNEL_BUILDER(Name("Const").Device("FAR"), NeverOp);

class MemoryCopiesTest : public ::testing::Test {
 protected:
  MemoryCopiesTest() { copies_to_device = copies_to_host = 0; }

  static ConfigProto WithFar() {
    ConfigProto config;
    (*config.mutable_device_count())["FAR"] = 1;
    return config;
  }
  static Tensor Dims(const std::vector<int64_t>& dims) {
    Tensor t(DT_INT64, {static_cast<int64_t>(dims.size())});
    std::copy(dims.begin(), dims.end(), t.base<int64_t>());
    return t;
  }
  static std::vector<float> Floats(const Tensor& t) {
    return Read<float>(t, true);
  }

  Builder b_;
};

TEST_F(MemoryCopiesTest, ValuesAreCopiedWhereTheyCrossBetweenDevices) {
  const OutputRef dims = b_.Placeholder(DT_INT64);
  const OutputRef value = b_.Placeholder();
  const OutputRef y = b_.Op("TestFillNear", {dims, value});
  Runner r(b_, WithFar());
  for (const int64_t n : {2, 3, 0}) {
    const Result result =
        r.Run({y}, {}, {{dims, Dims({n})}, {value, Tensor(1.5f)}});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(Floats(result.values[0]), std::vector<float>(n, 1.5f));
  }
  // The value goes there and the result comes back; dims stay with the host.
  EXPECT_EQ(copies_to_device, 3);
  EXPECT_EQ(copies_to_host, 3);
  const auto plan = *r.session->GetPlan({{dims, value}, {y}, {}});
  EXPECT_TRUE(absl::StrContains(plan->DebugString(), "(_HostRecv)"))
      << plan->DebugString();
  EXPECT_TRUE(absl::StrContains(plan->DebugString(), "(_Recv)"));
}

TEST_F(MemoryCopiesTest, AShapeCheckLooksAtValuesOfTheHostOnly) {
  const OutputRef dims = b_.Placeholder(DT_INT64);
  const OutputRef value = b_.Placeholder();
  const OutputRef near = b_.Op("TestFillNear", {dims, value});
  const OutputRef far = b_.Op("TestFillFar", {dims, value});
  Runner r(b_, WithFar());
  // The bytes of 2 in that memory are those of -3.
  for (const int64_t n : {2, 3, 2}) {
    const Result result =
        r.Run({near, far}, {}, {{dims, Dims({n})}, {value, Tensor(1.5f)}});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(Floats(result.values[0]), std::vector<float>(n, 1.5f));
    EXPECT_EQ(Floats(result.values[1]), std::vector<float>(n, 1.5f));
  }
  // The kernel does not see a value on the host that the shape function
  // refuses.
  Status s =
      r.Run({near}, {}, {{dims, Dims({-7})}, {value, Tensor(1.5f)}}).status;
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  s = r.Run({far}, {}, {{dims, Dims({-7})}, {value, Tensor(1.5f)}}).status;
  EXPECT_TRUE(absl::StrContains(s.message(), "garbage -7")) << s;
}

TEST_F(MemoryCopiesTest, ConstantsAreInTheMemoryThatTheirReadersWant) {
  b_.device = "/device:FAR:0";
  const OutputRef dims = b_.Const(Dims({2, 2}));
  const OutputRef value = b_.Const(4);
  const OutputRef near = b_.Op("TestFillNear", {dims, value});
  const OutputRef far = b_.Op("TestFillFar", {dims, value});
  Runner r(b_, WithFar());
  for (int run = 0; run < 2; ++run) {
    const Result result = r.Run({near, far});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(Floats(result.values[0]), std::vector<float>(4, 4));
    EXPECT_EQ(Floats(result.values[1]), std::vector<float>(4, 4));
    // The plan puts the constants there when it is compiled: two values.
    EXPECT_EQ(copies_to_device, 2);
  }
}

TEST_F(MemoryCopiesTest, ValuesAreCopiedBetweenTheMemoriesOfOneDevice) {
  const OutputRef dims = b_.Placeholder(DT_INT64);
  const OutputRef value = b_.Placeholder();
  const OutputRef x = b_.Op("TestFillNear", {dims, value});
  const OutputRef again = b_.Op("TestFillFar", {b_.Op("TestDims", {x}), value});
  const OutputRef sum = b_.Op("TestSumNear", {again});
  const OutputRef dims_of_sum = b_.Op("TestDims", {again});
  Runner r(b_, WithFar());
  for (int run = 0; run < 3; ++run) {
    const Result result = r.Run({sum, dims_of_sum}, {},
                                {{dims, Dims({2, 3})}, {value, Tensor(2.0f)}});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(result.Scalar(), 12);
    EXPECT_EQ(Read<int64_t>(result.values[1], true),
              (std::vector<int64_t>{2, 3}));
  }
}

}  // namespace
}  // namespace tensorwright
