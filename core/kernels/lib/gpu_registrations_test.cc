// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/lib/gpu_registrations.h"

#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/memory_types.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

struct Memory {
  Status status;
  MemoryTypeVector inputs, outputs;
};

// The memory of a node's arguments on a GPU, with its type attr `attr`.
Memory OnGpu(const char* op, const char* attr, DataType type) {
  NodeDef node;
  node.set_name("n");
  node.set_op(op);
  SetAttrValue(type, &(*node.mutable_attr())[attr]);
  Memory m;
  const OpDef* op_def = nullptr;
  m.status = OpRegistry::Global()->LookUpOpDef(op, &op_def);
  if (!m.status.ok()) return m;
  AddDefaultsToNodeDef(*op_def, &node);
  m.status = MemoryTypesForNode(OpRegistry::Global(), DEVICE_GPU, node,
                                &m.inputs, &m.outputs);
  return m;
}

TEST(GpuRegistrationsTest, PassedValuesStayWhereTheyAre) {
  for (const char* op : {"Identity", "StopGradient", "Enter", "Exit"}) {
    const Memory floats = OnGpu(op, "T", DT_FLOAT);
    ASSERT_EQ(floats.status, OkStatus()) << op;
    EXPECT_EQ(floats.inputs, MemoryTypeVector({DEVICE_MEMORY})) << op;
    EXPECT_EQ(floats.outputs, MemoryTypeVector({DEVICE_MEMORY})) << op;
    for (const DataType type : {DT_INT32, DT_STRING, DT_RESOURCE}) {
      const Memory host = OnGpu(op, "T", type);
      ASSERT_EQ(host.status, OkStatus()) << op;
      EXPECT_EQ(host.inputs, MemoryTypeVector({HOST_MEMORY})) << op;
      EXPECT_EQ(host.outputs, MemoryTypeVector({HOST_MEMORY})) << op;
    }
  }
}

TEST(GpuRegistrationsTest, ShapesAndConditionsAreOnTheHost) {
  const Memory reshape = OnGpu("Reshape", "T", DT_FLOAT);
  ASSERT_EQ(reshape.status, OkStatus());
  EXPECT_EQ(reshape.inputs, MemoryTypeVector({DEVICE_MEMORY, HOST_MEMORY}));
  const Memory shape = OnGpu("Shape", "T", DT_FLOAT);
  ASSERT_EQ(shape.status, OkStatus());
  EXPECT_EQ(shape.inputs, MemoryTypeVector({DEVICE_MEMORY}));
  EXPECT_EQ(shape.outputs, MemoryTypeVector({HOST_MEMORY}));
  const Memory choice = OnGpu("Switch", "T", DT_FLOAT);
  ASSERT_EQ(choice.status, OkStatus());
  EXPECT_EQ(choice.inputs, MemoryTypeVector({DEVICE_MEMORY, HOST_MEMORY}));
  EXPECT_EQ(choice.outputs, MemoryTypeVector({DEVICE_MEMORY, DEVICE_MEMORY}));
}

TEST(GpuRegistrationsTest, VariantsHaveNoKernelOnGpus) {
  EXPECT_EQ(OnGpu("Identity", "T", DT_VARIANT).status.code(), error::NOT_FOUND);
}

}  // namespace
}  // namespace tensorwright
