// SPDX-License-Identifier: Apache-2.0
#include "core/framework/kernel_registry.h"

#include <string>

#include "absl/strings/match.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/memory_types.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

class NoOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
};

struct Library {
  struct convolution {};
};

template <typename T>
class TypedKernel : public NoOpKernel {
 public:
  using NoOpKernel::NoOpKernel;
  using Primitive = Library::convolution;
};

REGISTER_OP("KernelTestTyped").Input("x: T").Output("y: T").Attr("T: type");
REGISTER_KERNEL_FOR_TYPES(Name("KernelTestTyped").Device(DEVICE_CPU), "T",
                          TypedKernel, float, int32_t);
REGISTER_KERNEL_BUILDER(
    Name("KernelTestTyped").Device(DEVICE_GPU).TypeConstraint<float>("T"),
    TypedKernel<float>);
REGISTER_KERNEL_BUILDER(
    Name("KernelTestTyped").Device(DEVICE_CPU).Label("other"), NoOpKernel);

REGISTER_OP("KernelTestPriority");
REGISTER_KERNEL_BUILDER(Name("KernelTestPriority").Device(DEVICE_CPU),
                        NoOpKernel);
REGISTER_KERNEL_BUILDER(
    Name("KernelTestPriority").Device(DEVICE_CPU).Priority(2),
    TypedKernel<float>);

REGISTER_OP("KernelTestAmbiguous");
REGISTER_KERNEL_BUILDER(Name("KernelTestAmbiguous").Device(DEVICE_CPU),
                        NoOpKernel);
REGISTER_KERNEL_BUILDER(Name("KernelTestAmbiguous").Device(DEVICE_CPU),
                        TypedKernel<float>);

REGISTER_OP("KernelTestBad").Input("x: T").Attr("T: type");
REGISTER_KERNEL_BUILDER(
    Name("KernelTestBad").Device(DEVICE_CPU).TypeConstraint<float>("Q"),
    NoOpKernel);

REGISTER_OP("KernelTestHost")
    .Input("x: float")
    .Input("shape: N * int32")
    .Input("indices: int32")
    .Output("s: string")
    .Attr("N: int");
REGISTER_KERNEL_BUILDER(
    Name("KernelTestHost").Device(DEVICE_GPU).HostMemory("shape"), NoOpKernel);
REGISTER_KERNEL_BUILDER(Name("KernelTestHost").Device(DEVICE_CPU), NoOpKernel);

NodeDef Node(const std::string& op, DataType t = DT_INVALID) {
  NodeDef node;
  node.set_name("n");
  node.set_op(op);
  if (t != DT_INVALID) SetAttrValue(t, &(*node.mutable_attr())["T"]);
  return node;
}

TEST(KernelRegistryTest, ChoosesByDeviceAndType) {
  const KernelRegistration* kernel;
  ASSERT_TRUE(FindKernelRegistration(DEVICE_CPU, "KernelTestTyped",
                                     Node("KernelTestTyped", DT_INT32), &kernel)
                  .ok());
  EXPECT_EQ(kernel->class_name, "TypedKernel<int32>");
  EXPECT_TRUE(absl::StrContains(kernel->primitive, "Library::convolution"));
  EXPECT_TRUE(absl::EndsWith(kernel->location.file, "kernel_registry_test.cc"));
  ASSERT_TRUE(FindKernelRegistration(DEVICE_GPU, "KernelTestTyped",
                                     Node("KernelTestTyped", DT_FLOAT), &kernel)
                  .ok());
  EXPECT_EQ(kernel->class_name, "TypedKernel<float>");
}

TEST(KernelRegistryTest, AMissSaysWhatThereIs) {
  const KernelDef* def;
  std::string name;
  Status s =
      FindKernelDef(DEVICE_GPU, Node("KernelTestTyped", DT_INT32), &def, &name);
  EXPECT_EQ(s.code(), error::NOT_FOUND);
  EXPECT_EQ(s.error_message(),
            "Op KernelTestTyped has no kernel for device GPU with T=int32. Its "
            "kernels:\n"
            "  device='CPU'; T in [float]\n"
            "  device='CPU'; T in [int32]\n"
            "  device='GPU'; T in [float]\n"
            "  device='CPU'; label='other'\n");
  s = FindKernelDef(DEVICE_CPU, Node("KernelTestNone"), &def, &name);
  EXPECT_EQ(s.error_message(),
            "Op KernelTestNone has no kernel for device CPU. Its kernels:\n"
            "  none\n");
}

TEST(KernelRegistryTest, LabelsAreAskedForByAttr) {
  NodeDef node = Node("KernelTestTyped", DT_STRING);
  SetAttrValue("other", &(*node.mutable_attr())["_kernel"]);
  std::string name;
  ASSERT_TRUE(FindKernelDef(DEVICE_CPU, node, nullptr, &name).ok());
  EXPECT_EQ(name, "NoOpKernel");
}

TEST(KernelRegistryTest, HighestPriorityWins) {
  std::string name;
  ASSERT_TRUE(
      FindKernelDef(DEVICE_CPU, Node("KernelTestPriority"), nullptr, &name)
          .ok());
  EXPECT_EQ(name, "TypedKernel<float>");
}

TEST(KernelRegistryTest, EquallyGoodKernelsAreAnError) {
  Status s =
      FindKernelDef(DEVICE_CPU, Node("KernelTestAmbiguous"), nullptr, nullptr);
  EXPECT_EQ(s.code(), error::INVALID_ARGUMENT);
  EXPECT_TRUE(absl::StrContains(s.error_message(), "has two kernels")) << s;
}

TEST(KernelRegistryTest, BadRegistrationIsAnErrorOfItsOp) {
  Status s = FindKernelDef(DEVICE_CPU, Node("KernelTestBad", DT_FLOAT), nullptr,
                           nullptr);
  EXPECT_EQ(s.code(), error::INVALID_ARGUMENT);
  EXPECT_TRUE(absl::StrContains(
      s.error_message(),
      "TypeConstraint names attr 'Q', which the op does not have"))
      << s;
  EXPECT_TRUE(absl::StrContains(s.error_message(), "kernel_registry_test.cc:"));
  EXPECT_FALSE(ValidateKernelRegistrations(*OpRegistry::Global()).ok());
}

TEST(KernelRegistryTest, SupportedDevicesInOrder) {
  DeviceTypeVector types;
  ASSERT_TRUE(SupportedDeviceTypesForNode({DEVICE_GPU, DEVICE_CPU},
                                          Node("KernelTestTyped", DT_FLOAT),
                                          &types)
                  .ok());
  EXPECT_EQ(types, DeviceTypeVector({DEVICE_GPU, DEVICE_CPU}));
  types.clear();
  ASSERT_TRUE(SupportedDeviceTypesForNode({DEVICE_GPU, DEVICE_CPU},
                                          Node("KernelTestTyped", DT_STRING),
                                          &types)
                  .ok());
  EXPECT_TRUE(types.empty());
  EXPECT_EQ(
      SupportedDeviceTypesForNode({DEVICE_CPU}, Node("KernelTestNone"), &types)
          .code(),
      error::NOT_FOUND);
}

TEST(KernelRegistryTest, KernelsCanBeListed) {
  EXPECT_EQ(RegisteredKernelsForOp("KernelTestTyped").size(), 4u);
  EXPECT_TRUE(RegisteredKernelsForOp("KernelTestNone").empty());
  EXPECT_TRUE(KernelDefAvailable(DEVICE_GPU, "KernelTestTyped"));
  EXPECT_FALSE(KernelDefAvailable(DEVICE_GPU, "KernelTestPriority"));
  EXPECT_GE(RegisteredKernels().size(), 8u);
}

TEST(MemoryTypesTest, HostArgumentsAndHostTypesOnGpus) {
  NodeDef node = Node("KernelTestHost");
  SetAttrValue(2, &(*node.mutable_attr())["N"]);
  MemoryTypeVector in, out;
  ASSERT_TRUE(
      MemoryTypesForNode(OpRegistry::Global(), DEVICE_GPU, node, &in, &out)
          .ok());
  EXPECT_EQ(in, MemoryTypeVector(
                    {DEVICE_MEMORY, HOST_MEMORY, HOST_MEMORY, DEVICE_MEMORY}));
  EXPECT_EQ(out, MemoryTypeVector({HOST_MEMORY}));
  ASSERT_TRUE(
      MemoryTypesForNode(OpRegistry::Global(), DEVICE_CPU, node, &in, &out)
          .ok());
  EXPECT_EQ(in, MemoryTypeVector({DEVICE_MEMORY, DEVICE_MEMORY, DEVICE_MEMORY,
                                  DEVICE_MEMORY}));
}

}  // namespace
}  // namespace tensorwright
