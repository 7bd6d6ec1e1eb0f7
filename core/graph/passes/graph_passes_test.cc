// SPDX-License-Identifier: Apache-2.0
// Options of graph passes, and the passes that need no kernels.
#include "core/graph/passes/graph_passes.h"

#include "core/graph/passes/graph_passes_testutil.h"
#include "core/graph/validate.h"
#include "core/protobuf/config.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

constexpr char kMatrix[] = "dim { size: 2 } dim { size: 3 }";

// The passes that are on, in the order in which they run.
std::vector<std::string> On(const GraphPassOptions& options) {
  std::vector<std::string> on;
  for (const std::string& pass : GraphPassNames()) {
    if (options.IsOn(pass)) on.push_back(pass);
  }
  return on;
}

using Passes = std::vector<std::string>;

TEST(GraphPassOptions, EverythingIsOnByDefault) {
  const Passes names = GraphPassNames();
  EXPECT_EQ(names.size(), 12);
  EXPECT_EQ(On(GraphPassOptions::FromConfig(GraphOptions())), names);
  EXPECT_EQ(On(GraphPassOptions::None()), Passes());
}

TEST(GraphPassOptions, EachPassHasASwitchOfItsOwn) {
  for (const std::string& pass : GraphPassNames()) {
    GraphPassOptions all_but_one;
    all_but_one.Set(pass, false);
    Passes expected = GraphPassNames();
    std::erase(expected, pass);
    EXPECT_EQ(On(all_but_one), expected);
    GraphOptions config;
    config.mutable_rewrite_options()->add_optimizers(pass);
    EXPECT_EQ(On(GraphPassOptions::FromConfig(config)), Passes{pass});
  }
}

TEST(GraphPassOptions, AGroupIsNamedByTensorFlowsWord) {
  GraphOptions config;
  config.mutable_rewrite_options()->add_optimizers("constfold");
  config.mutable_rewrite_options()->add_optimizers("no_such_pass");
  EXPECT_EQ(On(GraphPassOptions::FromConfig(config)),
            Passes({"constant_folding", "kept_filters"}));
}

// A pass that is off leaves the graph as it is.
TEST(GraphPassOptions, APassThatIsOffDoesNotRun) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef a = Add(&g, "Identity", {x});
  const OutputRef b = Add(&g, "Neg", {a});
  GraphPassOptions options;
  EXPECT_EQ(RunAllPasses(g, {x}, {b}, options).Ops(), OpNames({"Neg"}));
  options.Set("dependencies", false);
  EXPECT_EQ(RunAllPasses(g, {x}, {b}, options).Ops(),
            OpNames({"Identity", "Neg"}));
}

TEST(GraphPassOptions, LevelZeroKeepsWhatIsAskedForByName) {
  GraphOptions config;
  auto* optimizer = config.mutable_optimizer_options();
  optimizer->set_opt_level(OptimizerOptions::L0);
  EXPECT_EQ(On(GraphPassOptions::FromConfig(config)), Passes());
  optimizer->set_do_constant_folding(true);
  EXPECT_EQ(On(GraphPassOptions::FromConfig(config)),
            Passes({"constant_folding", "kept_filters"}));
}

TEST(GraphPassOptions, RewriteOptionsTurnOffGroups) {
  GraphOptions config;
  config.mutable_rewrite_options()->set_remapping(RewriterConfig::OFF);
  config.mutable_optimizer_options()->set_max_folded_constant_in_bytes(7);
  const GraphPassOptions o = GraphPassOptions::FromConfig(config);
  EXPECT_EQ(On(o), Passes({"dependencies", "constant_folding", "arithmetic",
                           "shapes", "common_subexpressions", "kept_filters"}));
  EXPECT_EQ(o.max_folded_bytes, 7);
  config.mutable_rewrite_options()->set_disable_meta_optimizer(true);
  EXPECT_EQ(On(GraphPassOptions::FromConfig(config)), Passes());
}

TEST(GraphPassOptions, WithoutJitNothingRunsOverSeveralOps) {
  GraphOptions config;
  config.mutable_optimizer_options()->set_global_jit_level(
      OptimizerOptions::OFF);
  const GraphPassOptions o = GraphPassOptions::FromConfig(config);
  EXPECT_FALSE(o.IsOn("elementwise_fusion") || o.IsOn("update_fusion"));
  EXPECT_TRUE(o.IsOn("contraction_fusion"));
}

// ---- dependencies ----------------------------------------------------------

TEST(DependencyPass, RemovesIdentitiesButNotTargets) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef a = Add(&g, "Identity", {x});
  const OutputRef b = Add(&g, "StopGradient", {a});
  const OutputRef c = Add(&g, "Identity", {b}, {}, "c");
  EXPECT_EQ(RunPasses(g, {"dependencies"}, {x}, {c}).Ops(), OpNames());
  EXPECT_EQ(RunPasses(g, {"dependencies"}, {x}, {c}, {c.node}).Ops(),
            OpNames({"Identity"}));
}

TEST(DependencyPass, WhatWaitedForAnIdentityWaitsForItsInput) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef y = Add(&g, "Neg", {x}, {}, "y");
  const OutputRef a = Add(&g, "Identity", {y});
  const OutputRef t = Add(&g, "NoOp", {}, {}, "t", {}, "", {a.node});
  const Optimized o = RunPasses(g, {"dependencies"}, {x}, {}, {t.node});
  EXPECT_EQ(o.Ops(), OpNames({"Neg", "NoOp"}));
  EXPECT_EQ((*o.Find("t")->in_edges().begin())->src(), o.Find("y"));
}

TEST(DependencyPass, KeepsThePointInTimeAndTheBranch) {
  LiveGraph g;
  const OutputRef v =
      Add(&g, "VariableV2", {},
          {{"dtype", Attr("type: DT_FLOAT")}, {"shape", Attr("shape { }")}});
  const OutputRef read = Add(&g, "Identity", {v});
  EXPECT_EQ(RunPasses(g, {"dependencies"}, {}, {read}).Ops(),
            OpNames({"Identity", "VariableV2"}));

  const OutputRef x = Placeholder(&g, "");
  const OutputRef waits = Add(&g, "Identity", {x}, {}, "", {}, "", {read.node});
  EXPECT_EQ(RunPasses(g, {"dependencies"}, {x}, {waits}).Ops().size(), 3u);

  const OutputRef p =
      Add(&g, "Placeholder", {}, {{"dtype", Attr("type: DT_BOOL")}});
  const OutputRef s = Add(&g, "Switch", {x, p});
  const OutputRef pivot = Add(&g, "Identity", {OutputRef{s.node, 1}});
  const OutputRef c = FloatConst(&g, {1}, {}, "c", {pivot.node});
  EXPECT_EQ(RunPasses(g, {"dependencies"}, {x, p}, {c}).Ops(),
            OpNames({"Const", "Identity", "Switch"}));
}

// ---- common subexpressions -------------------------------------------------

TEST(CommonSubexpressionPass, EqualNodesBecomeOne) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef y = Placeholder(&g, kMatrix);
  const OutputRef a = Add(&g, "Tanh", {Add(&g, "Mul", {x, y})});
  const OutputRef b = Add(&g, "Tanh", {Add(&g, "Mul", {y, x})});  // Commutes.
  const OutputRef c = Add(&g, "Sub", {a, b});
  EXPECT_EQ(RunPasses(g, {"common_subexpressions"}, {x, y}, {c}).Ops(),
            OpNames({"Mul", "Sub", "Tanh"}));
}

TEST(CommonSubexpressionPass, KeepsWhatDiffers) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef y = Placeholder(&g, kMatrix);
  const OutputRef order =
      Add(&g, "Sub", {Add(&g, "Sub", {x, y}), Add(&g, "Sub", {y, x})});
  EXPECT_EQ(RunPasses(g, {"common_subexpressions"}, {x, y}, {order}).Ops(),
            OpNames({"Sub", "Sub", "Sub"}));
  const OutputRef attrs =
      Add(&g, "Add",
          {Add(&g, "MatMul", {x, y}, {{"transpose_b", Attr("b: true")}}),
           Add(&g, "MatMul", {x, y}, {{"transpose_b", Attr("b: true")}})});
  EXPECT_EQ(RunPasses(g, {"common_subexpressions"}, {x, y}, {attrs}).Ops(),
            OpNames({"Add", "MatMul"}));
  const Attrs shape = {{"dtype", Attr("type: DT_FLOAT")}};
  const OutputRef n = IntConst(&g, Ints({2}));
  const OutputRef random = Add(&g, "Sub",
                               {Add(&g, "RandomUniform", {n}, shape),
                                Add(&g, "RandomUniform", {n}, shape)});
  EXPECT_EQ(RunPasses(g, {"common_subexpressions"}, {}, {random}).Ops(),
            OpNames({"Const", "RandomUniform", "RandomUniform", "Sub"}));
}

// Targets wait for a pure node, whose value nobody reads.
TEST(DependencyPass, WaitingForAValueIsWaitingForWhatItNeeds) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef v =
      Add(&g, "VariableV2", {},
          {{"dtype", Attr("type: DT_FLOAT")},
           {"shape", Attr("shape { dim { size: 3 } dim { size: 3 } }")}});
  const OutputRef read = Add(&g, "Identity", {v}, {}, "read");
  const OutputRef product = Add(&g, "MatMul", {Add(&g, "Exp", {x}), read});
  const auto ops = [&](OutputRef waited) {
    const OutputRef done = Add(&g, "NoOp", {}, {}, "", {}, "", {waited.node});
    return RunPasses(g, {"dependencies"}, {x}, {}, {done.node}).Ops();
  };
  // A variable must be read at its time.
  EXPECT_EQ(ops(product), OpNames({"Identity", "NoOp", "VariableV2"}));
  EXPECT_EQ(ops(Add(&g, "Tanh", {x})), OpNames({"NoOp"}));
  // A check runs to fail.
  EXPECT_EQ(ops(Add(&g, "CheckNumerics", {x}, {{"message", Attr("s: 'm'")}})),
            OpNames({"CheckNumerics", "NoOp"}));
  // An op without outputs stays, too: it changes the object that a string
  // names.
  const OutputRef handle =
      Add(&g, "Placeholder", {}, {{"dtype", Attr("type: DT_STRING")}});
  EXPECT_EQ(ops(Add(&g, "TensorArrayCloseV2", {handle})),
            OpNames({"NoOp", "Placeholder", "TensorArrayCloseV2"}));
  const OutputRef n = IntConst(&g, Ints({2}));
  EXPECT_EQ(
      ops(Add(&g, "RandomUniform", {n}, {{"dtype", Attr("type: DT_FLOAT")}})),
      OpNames({"Const", "NoOp", "RandomUniform"}));
}

// ---- arithmetic ------------------------------------------------------------

struct Identity {
  const char* op;
  bool constant_first;
  float constant;
};

TEST(ArithmeticPass, NeutralElementsVanish) {
  for (const Identity& i :
       {Identity{"Mul", false, 1}, Identity{"Mul", true, 1},
        Identity{"RealDiv", false, 1}, Identity{"Sub", false, 0},
        Identity{"Add", true, -0.0f}, Identity{"Pow", false, 1}}) {
    LiveGraph g;
    const OutputRef x = Placeholder(&g, "");
    const OutputRef c = FloatConst(&g, {i.constant});
    const OutputRef y =
        i.constant_first ? Add(&g, i.op, {c, x}) : Add(&g, i.op, {x, c});
    EXPECT_EQ(RunPasses(g, {"arithmetic"}, {x}, {y}).Ops(), OpNames()) << i.op;
  }
}

TEST(ArithmeticPass, AddV2IsAdd) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef y = Placeholder(&g, kMatrix);
  const OutputRef sum = Add(&g, "AddV2", {x, y}, {}, "sum");
  const Optimized result = RunPasses(g, {"arithmetic"}, {x, y}, {sum});
  EXPECT_EQ(result.Ops(), OpNames({"Add"}));
  const OutputRef minus_zero = FloatConst(&g, {-0.0f});
  EXPECT_EQ(
      RunPasses(g, {"arithmetic"}, {x}, {Add(&g, "AddV2", {x, minus_zero})})
          .Ops(),
      OpNames());
  const OutputRef fused = Add(&g, "Tanh", {Add(&g, "Mul", {sum, y})});
  EXPECT_EQ(
      RunPasses(g, {"arithmetic", "elementwise_fusion"}, {x, y}, {fused}).Ops(),
      OpNames({"_FusedElementwise"}));
}

TEST(ArithmeticPass, KeepsWhatWouldChangeAResult) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: -1 }");
  const OutputRef zero = FloatConst(&g, {0});
  // -0 + 0 is 0.
  EXPECT_EQ(
      RunPasses(g, {"arithmetic"}, {x}, {Add(&g, "Add", {x, zero})}).Ops(),
      OpNames({"Add", "Const"}));
  EXPECT_EQ(
      RunPasses(g, {"arithmetic"}, {x}, {Add(&g, "Sub", {zero, x})}).Ops(),
      OpNames({"Const", "Sub"}));
  // Ones of another shape broadcast.
  const OutputRef ones = FloatConst(&g, {1, 1, 1}, {3});
  EXPECT_EQ(
      RunPasses(g, {"arithmetic"}, {x}, {Add(&g, "Mul", {x, ones})}).Ops(),
      OpNames({"Const", "Mul"}));
  // 1 / 3 is not exact.
  const OutputRef three = FloatConst(&g, {3});
  EXPECT_EQ(
      RunPasses(g, {"arithmetic"}, {x}, {Add(&g, "RealDiv", {x, three})}).Ops(),
      OpNames({"Const", "RealDiv"}));
}

TEST(ArithmeticPass, RewritesToCheaperOps) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: -1 }");
  const auto ops = [&](OutputRef y) {
    return RunPasses(g, {"arithmetic"}, {x}, {y}).Ops();
  };
  EXPECT_EQ(ops(Add(&g, "Neg", {Add(&g, "Neg", {x})})), OpNames());
  EXPECT_EQ(ops(Add(&g, "Mul", {x, x})), OpNames({"Square"}));
  EXPECT_EQ(ops(Add(&g, "Pow", {x, FloatConst(&g, {2})})), OpNames({"Square"}));
  EXPECT_EQ(ops(Add(&g, "RealDiv", {x, FloatConst(&g, {4})})),
            OpNames({"Const", "Mul"}));
  // The node keeps its name.
  const OutputRef named = Add(&g, "Mul", {x, x}, {}, "named");
  EXPECT_NE(RunPasses(g, {"arithmetic"}, {x}, {named}).Find("named"), nullptr);
}

// ---- shapes ----------------------------------------------------------------

TEST(ShapeCleanupPass, ReshapesThatDoNothingVanish) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef to_6 = IntConst(&g, Ints({6}));
  const OutputRef to_23 = IntConst(&g, Ints({2, -1}));
  const auto ops = [&](OutputRef y, OutputRef feed) {
    return RunPasses(g, {"shapes"}, {feed}, {y}).Ops();
  };
  EXPECT_EQ(ops(Add(&g, "Reshape", {x, to_23}), x), OpNames());
  const OutputRef flat = Add(&g, "Reshape", {x, to_6});
  EXPECT_EQ(ops(flat, x), OpNames({"Const", "Reshape"}));
  EXPECT_EQ(ops(Add(&g, "Reshape", {flat, to_23}), x),
            OpNames({"Const", "Reshape"}));
  // Nothing proves that the inner one works.
  const OutputRef u = Placeholder(&g, "dim { size: -1 }");
  const OutputRef once = Add(&g, "Reshape", {u, to_6});
  EXPECT_EQ(ops(Add(&g, "Reshape", {once, to_23}), u),
            OpNames({"Const", "Const", "Reshape", "Reshape"}));
}

TEST(ShapeCleanupPass, TransposesCompose) {
  LiveGraph g;
  const OutputRef x =
      Placeholder(&g, "dim { size: -1 } dim { size: -1 } dim { size: 4 }");
  const auto transpose = [&](OutputRef y, const std::vector<int>& perm) {
    return Add(&g, "Transpose", {y, IntConst(&g, Ints(perm))});
  };
  const auto run = [&](OutputRef y) {
    return RunPasses(g, {"shapes"}, {x}, {y});
  };
  EXPECT_EQ(run(transpose(x, {0, 1, 2})).Ops(), OpNames());
  EXPECT_EQ(run(transpose(transpose(x, {1, 2, 0}), {2, 0, 1})).Ops(),
            OpNames());
  const Optimized o = run(transpose(transpose(x, {1, 2, 0}), {1, 2, 0}));
  ASSERT_EQ(o.Ops(), OpNames({"Const", "Transpose"}));
  Tensor perm;
  TF_CHECK_OK(Tensor::ParseProto(
      o.Fetched(0)->input_node(1)->FindAttr("value")->tensor(), &perm));
  EXPECT_EQ(std::vector<int>(perm.base<int32_t>(), perm.base<int32_t>() + 3),
            std::vector<int>({2, 0, 1}));
}

TEST(ShapeCleanupPass, SumsOverNothingVanish) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "");
  const OutputRef none = IntConst(&g, Ints({}));
  const OutputRef y = Add(&g, "Sum", {x, none});
  EXPECT_EQ(RunPasses(g, {"shapes"}, {x}, {y}).Ops(), OpNames());
}

}  // namespace
}  // namespace tensorwright
