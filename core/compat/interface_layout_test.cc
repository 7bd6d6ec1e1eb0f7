// SPDX-License-Identifier: Apache-2.0
// Holds the layouts that libraries of ops are compiled with: sizes of classes
// that they keep or derive from, and the order of virtual functions.
//
// A library that was built before has these numbers in its code, and loads as
// long as TENSORWRIGHT_ABI_VERSION (core/lib/core/version.h) is the one that it
// was built with.  Where this test fails, put the class back as it was, or
// raise that number and write down the new layout.  interface_symbols_test.py
// holds the names that such libraries link to; docs/decisions/op_binaries.md
// says what may change.
#include <cstddef>
#include <cstring>
#include <string>

#include "core/compat/grappler/clusters/cluster.h"
#include "core/compat/grappler/optimizers/custom_graph_optimizer.h"
#include "core/framework/cancellation.h"
#include "core/framework/device_base.h"
#include "core/framework/lookup_interface.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/queue_interface.h"
#include "core/framework/reader_interface.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor_slice.h"
#include "core/framework/variant.h"
#include "core/framework/variant_tensor_data.h"
#include "core/lib/core/version.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr int kInterface = 2;

struct Layout {
  const char* name;
  size_t size;
  size_t alignment;
  size_t held_size;
  size_t held_alignment;
};

#define LAYOUT(type, held_size, held_alignment) \
  { #type, sizeof(type), alignof(type), held_size, held_alignment }

// A function's place in the table of its class: a pointer to a virtual member
// begins with 1 more than the place in bytes (Itanium C++ ABI, 2.3).
template <typename Function>
int Place(Function function) {
  static_assert(sizeof(Function) == 2 * sizeof(ptrdiff_t));
  ptrdiff_t first;
  std::memcpy(&first, &function, sizeof(first));
  if (first % 2 == 0) return -1;  // An address: the function is not virtual.
  return static_cast<int>((first - 1) / static_cast<ptrdiff_t>(sizeof(void*)));
}

TEST(InterfaceLayoutTest, IsOfThisInterface) {
  EXPECT_EQ(TENSORWRIGHT_ABI_VERSION, kInterface);
}

TEST(InterfaceLayoutTest, ClassesHaveTheSizesOfLibrariesBuiltBefore) {
  const Layout layouts[] = {
      LAYOUT(Status, 8, 8),
      LAYOUT(StatusOr<int>, 16, 8),
      LAYOUT(tstring, 32, 8),
      LAYOUT(TensorShape, 56, 8),
      LAYOUT(PartialTensorShape, 56, 8),
      LAYOUT(Tensor, 72, 8),
      LAYOUT(TensorValue, 24, 8),
      LAYOUT(AllocatorAttributes, 4, 4),
      LAYOUT(Allocator, 8, 8),
      LAYOUT(DeviceBase, 32, 8),
      LAYOUT(DeviceContext, 8, 8),
      LAYOUT(OpKernel, 352, 8),
      LAYOUT(AsyncOpKernel, 352, 8),
      LAYOUT(OpKernelConstruction, 120, 8),
      LAYOUT(OpKernelContext, 40, 8),
      LAYOUT(OpInputList, 16, 8),
      LAYOUT(OpMutableInputList, 16, 8),
      LAYOUT(OpOutputList, 16, 8),
      LAYOUT(PersistentTensor, 72, 8),
      LAYOUT(ResourceBase, 16, 8),
      LAYOUT(ResourceMgr, 88, 8),
      LAYOUT(ResourceHandle, 160, 8),
      LAYOUT(ContainerInfo, 80, 8),
      LAYOUT(Variant, 8, 8),
      LAYOUT(VariantTensorData, 88, 8),
      LAYOUT(KernelDefBuilder, 152, 8),
      LAYOUT(OpDefBuilder, 304, 8),
      LAYOUT(shape_inference::InferenceContext, 1608, 8),
      LAYOUT(shape_inference::ShapeHandle, 8, 8),
      LAYOUT(shape_inference::DimensionHandle, 8, 8),
      LAYOUT(CancellationManager, 56, 8),
      LAYOUT(TensorSlice, 24, 8),
      LAYOUT(lookup::LookupInterface, 16, 8),
      LAYOUT(QueueInterface, 16, 8),
      LAYOUT(ReaderInterface, 16, 8),
      LAYOUT(grappler::Cluster, 72, 8),
      LAYOUT(grappler::GrapplerItem, 392, 8),
      LAYOUT(grappler::CustomGraphOptimizer, 288, 8),
  };
  for (const Layout& layout : layouts) {
    EXPECT_EQ(layout.size, layout.held_size) << layout.name;
    EXPECT_EQ(layout.alignment, layout.held_alignment) << layout.name;
  }
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfOpKernelAreInPlace) {
  EXPECT_EQ(Place(&OpKernel::Compute), 2);
  EXPECT_EQ(
      Place(static_cast<AsyncOpKernel* (OpKernel::*)()>(&OpKernel::AsAsync)),
      3);
  EXPECT_EQ(Place(static_cast<const AsyncOpKernel* (OpKernel::*)() const>(
                &OpKernel::AsAsync)),
            4);
  EXPECT_EQ(Place(&OpKernel::IsExpensive), 5);
  EXPECT_EQ(Place(&AsyncOpKernel::ComputeAsync), 6);
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfResourceBaseAreInPlace) {
  EXPECT_EQ(Place(&ResourceBase::MemoryUsed), 4);
  EXPECT_EQ(Place(static_cast<std::string (ResourceBase::*)() const>(
                &ResourceBase::DebugString)),
            3);
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfAllocatorAreInPlace) {
  EXPECT_EQ(Place(&Allocator::Name), 2);
  EXPECT_EQ(Place(static_cast<void* (Allocator::*)(size_t, size_t)>(
                &Allocator::AllocateRaw)),
            3);
  EXPECT_EQ(Place(&Allocator::DeallocateRaw), 5);
  EXPECT_EQ(Place(&Allocator::IsHostMemory), 6);
  EXPECT_EQ(Place(&Allocator::TracksAllocationSizes), 7);
  EXPECT_EQ(Place(&Allocator::RequestedSize), 8);
  EXPECT_EQ(Place(&Allocator::AllocatedSize), 9);
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfDeviceBaseAreInPlace) {
  EXPECT_EQ(Place(&DeviceBase::tensorflow_cpu_worker_threads), 2);
  EXPECT_EQ(Place(&DeviceBase::eigen_cpu_device), 3);
  EXPECT_EQ(Place(&DeviceBase::eigen_gpu_device), 4);
  EXPECT_EQ(Place(&DeviceBase::GetAllocator), 6);
  EXPECT_EQ(Place(&DeviceBase::resource_manager), 8);
  EXPECT_EQ(Place(&DeviceBase::attributes), 9);
  EXPECT_EQ(Place(&DeviceBase::name), 10);
  EXPECT_EQ(Place(&DeviceBase::MakeTensorFromProto), 11);
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfLookupInterfaceAreInPlace) {
  EXPECT_EQ(Place(&lookup::LookupInterface::size), 5);
  EXPECT_EQ(Place(&lookup::LookupInterface::Find), 6);
  EXPECT_EQ(Place(&lookup::LookupInterface::Insert), 7);
  EXPECT_EQ(Place(&lookup::LookupInterface::Remove), 8);
  EXPECT_EQ(Place(&lookup::LookupInterface::ExportValues), 9);
  EXPECT_EQ(Place(&lookup::LookupInterface::ImportValues), 10);
  EXPECT_EQ(Place(&lookup::LookupInterface::key_dtype), 11);
  EXPECT_EQ(Place(&lookup::LookupInterface::value_dtype), 12);
  EXPECT_EQ(Place(&lookup::LookupInterface::key_shape), 13);
  EXPECT_EQ(Place(&lookup::LookupInterface::value_shape), 14);
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfQueueInterfaceAreInPlace) {
  EXPECT_EQ(Place(&QueueInterface::ValidateTuple), 5);
  EXPECT_EQ(Place(&QueueInterface::ValidateManyTuple), 6);
  EXPECT_EQ(Place(&QueueInterface::TryEnqueue), 7);
  EXPECT_EQ(Place(&QueueInterface::TryEnqueueMany), 8);
  EXPECT_EQ(Place(&QueueInterface::TryDequeue), 9);
  EXPECT_EQ(Place(&QueueInterface::TryDequeueMany), 10);
  EXPECT_EQ(Place(&QueueInterface::Close), 11);
  EXPECT_EQ(Place(&QueueInterface::is_closed), 12);
  EXPECT_EQ(Place(&QueueInterface::MatchesNodeDef), 13);
  EXPECT_EQ(Place(&QueueInterface::size), 14);
  EXPECT_EQ(Place(&QueueInterface::component_dtypes), 15);
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfReaderInterfaceAreInPlace) {
  EXPECT_EQ(Place(&ReaderInterface::Read), 5);
  EXPECT_EQ(Place(&ReaderInterface::ReadUpTo), 6);
  EXPECT_EQ(Place(&ReaderInterface::ReadWithoutWaiting), 7);
  EXPECT_EQ(Place(&ReaderInterface::Reset), 8);
  EXPECT_EQ(Place(&ReaderInterface::NumRecordsProduced), 9);
  EXPECT_EQ(Place(&ReaderInterface::NumWorkUnitsCompleted), 10);
  EXPECT_EQ(Place(&ReaderInterface::SerializeState), 11);
  EXPECT_EQ(Place(&ReaderInterface::RestoreState), 12);
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfCustomGraphOptimizerAreInPlace) {
  EXPECT_EQ(Place(&grappler::GraphOptimizer::name), 2);
  EXPECT_EQ(Place(&grappler::GraphOptimizer::UsesFunctionLibrary), 3);
  EXPECT_EQ(
      Place(static_cast<Status (grappler::GraphOptimizer::*)(
                grappler::Cluster*, const grappler::GrapplerItem&, GraphDef*)>(
          &grappler::GraphOptimizer::Optimize)),
      4);
  EXPECT_EQ(Place(&grappler::CustomGraphOptimizer::Init), 7);
}

TEST(InterfaceLayoutTest, VirtualFunctionsOfClusterAreInPlace) {
  EXPECT_EQ(Place(&grappler::Cluster::type), 2);
  EXPECT_EQ(Place(&grappler::Cluster::Provision), 3);
  EXPECT_EQ(Place(&grappler::Cluster::Shutdown), 4);
  EXPECT_EQ(Place(&grappler::Cluster::GetDeviceSet), 5);
  EXPECT_EQ(Place(&grappler::Cluster::EnablePeakMemoryStats), 6);
  EXPECT_EQ(Place(&grappler::Cluster::GetPeakMemoryUsage), 7);
  EXPECT_EQ(Place(&grappler::Cluster::Initialize), 8);
}

}  // namespace
}  // namespace tensorwright
