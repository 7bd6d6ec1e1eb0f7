// SPDX-License-Identifier: Apache-2.0
// A new elementwise op takes its registration and a row: with these two alone,
// TestCube has kernels, is vectorised, joins fused nodes and ends products.

#include "core/framework/common_shape_fns.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/op.h"
#include "core/graph/passes/graph_passes_testutil.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/lib/ops_testutil.h"
#include "core/util/fused_program.h"
#include "gtest/gtest.h"
// This comes after it, since it is compiled once per instruction set, too.
#include "core/kernels/lib/cwise_ops_simd_arithmetic-inl.h"

// These are the files that include cwise_table.h in core/kernels, with a table
// of one row.
#ifndef TENSORWRIGHT_CORE_GRAPH_PASSES_ELEMENTWISE_ROW_TEST_CC_
#define TENSORWRIGHT_CORE_GRAPH_PASSES_ELEMENTWISE_ROW_TEST_CC_
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table_testutil.h"
#include "core/kernels/lib/cwise_table_functors.h"
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table_testutil.h"
#include "core/kernels/lib/cwise_table_simd.h"
#endif
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table_testutil.h"
#include "core/kernels/lib/cwise_table_simd-inl.h"

#if HWY_ONCE
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table_testutil.h"
#include "core/kernels/lib/cwise_table_kernels.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

REGISTER_OP("TestCube")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape);

// Runs the node's kernel on these inputs and returns its output.
std::vector<float> RunNode(const Node& node,
                           const std::vector<Tensor>& inputs) {
  KernelRunner runner;
  NodeDef def = node.def();
  def.clear_input();
  for (const Tensor& input : inputs) {
    def.add_input("x");
    runner.AddInput(input);
  }
  TF_CHECK_OK(runner.InitNode(def));
  TF_CHECK_OK(runner.Run());
  const auto y = Flat<float>(*runner.output(0));
  return {y.begin(), y.end()};
}

TEST(ElementwiseRow, MakesKernelsWithVectorLoops) {
  static_assert(kHasSimdLoop<functor::TestCube, float>);
  KernelRunner floats, integers;
  TF_ASSERT_OK(floats.InitOp("TestCube", {{"T", DT_FLOAT}}));
  floats.AddInput(MakeTensor<float>({5}, {1, 2, 3, 4, 5}));
  TF_ASSERT_OK(floats.Run());
  ExpectTensor<float>(*floats.output(0), {5}, {2, 9, 28, 65, 126});
  TF_ASSERT_OK(integers.InitOp("TestCube", {{"T", DT_INT32}}));
  integers.AddInput(MakeTensor<int32_t>({2}, {2, 3}));
  TF_ASSERT_OK(integers.Run());
  ExpectTensor<int32_t>(*integers.output(0), {2}, {8, 27});
}

TEST(ElementwiseRow, MakesItPartOfFusedNodes) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: 3 }");
  const OutputRef y =
      Add(&g, "Neg", {Add(&g, "TestCube", {Add(&g, "Square", {x})})});
  const Optimized o = RunPasses(g, {"elementwise_fusion"}, {x}, {y});
  ASSERT_EQ(o.Ops(), OpNames({"_FusedElementwise"}));
  EXPECT_EQ(RunNode(*o.Fetched(0), {MakeTensor<float>({3}, {0, 1, 2})}),
            std::vector<float>({-1, -2, -65}));
}

TEST(ElementwiseRow, MakesItAnActivationOfProducts) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: 1 } dim { size: 2 }");
  const OutputRef w = Placeholder(&g, "dim { size: 2 } dim { size: 2 }");
  const OutputRef b = Placeholder(&g, "dim { size: 2 }");
  const OutputRef y =
      Add(&g, "TestCube", {Add(&g, "BiasAdd", {Add(&g, "MatMul", {x, w}), b})});
  const Optimized o = RunPasses(g, {"contraction_fusion"}, {x, w, b}, {y});
  ASSERT_EQ(o.Ops(), OpNames({"_FusedMatMul"}));
  EXPECT_EQ(RunNode(*o.Fetched(0), {MakeTensor<float>({1, 2}, {1, 2}),
                                    MakeTensor<float>({2, 2}, {1, 0, 0, 1}),
                                    MakeTensor<float>({2}, {0, 1})}),
            std::vector<float>({2, 28}));
}

// ---- The table itself ------------------------------------------------------

struct Row {
  const char* op;
  ElementwiseKind kind;
  unsigned flags;
};

constexpr Row kRows[] = {
#define TW_ROW(arity, op, f, cost, types, gpu, flags) \
  {#op, ElementwiseKind::k##arity, flags},
#include "core/kernels/lib/cwise_table.h"
};

TEST(CwiseTable, EveryRowIsAnOpWithKernelsOfItsKind) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.op);
    const OpDef* def = nullptr;
    TF_ASSERT_OK(OpRegistry::Global()->LookUpOpDef(row.op, &def));
    EXPECT_EQ(def->input_arg_size(),
              row.kind == ElementwiseKind::kUnary ? 1 : 2);
    EXPECT_EQ(def->output_arg_size(), 1);
    int kernels = 0;
    for (const KernelRegistration* kernel : RegisteredKernels()) {
      kernels +=
          kernel->def.op() == row.op && kernel->def.device_type() == DEVICE_CPU;
    }
    EXPECT_GT(kernels, 0);
    const ElementwiseOp traits = FindElementwiseOp(row.op);
    const bool fused = (row.flags & kNeverFused) == 0;
    EXPECT_EQ(traits.kind, fused ? row.kind : ElementwiseKind::kNone);
    EXPECT_EQ(IsActivation(row.op), (row.flags & kActivation) != 0);
  }
}

TEST(CwiseTable, WhatPassesKnowIsWhatKernelsSaid) {
  int rows = 0;
  for (const std::string& op : ElementwiseOps()) {
    const ElementwiseKind kind = ElementwiseKindOf(op);
    rows += kind == ElementwiseKind::kUnary || kind == ElementwiseKind::kBinary;
  }
  const int known = static_cast<int>(std::count_if(
      std::begin(kRows), std::end(kRows),
      [](const Row& row) { return (row.flags & kNeverFused) == 0; }));
  EXPECT_EQ(rows, known + 1);  // TestCube.
}

}  // namespace
}  // namespace tensorwright
#endif  // HWY_ONCE
