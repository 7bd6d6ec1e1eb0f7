// SPDX-License-Identifier: Apache-2.0
// Pruning.
#include "core/graph/subgraph.h"

#include <set>

#include "core/graph/graph_testutil.h"
#include "core/graph/validate.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

std::set<std::string> Kept(const LiveGraph& g,
                           const std::vector<OutputRef>& feeds,
                           const std::vector<OutputRef>& fetches,
                           const std::vector<Node*>& targets = {}) {
  PrunedGraph pruned;
  TF_CHECK_OK(PruneForRun(g.graph(), feeds, fetches, targets, &pruned));
  EXPECT_EQ(ValidateGraph(*pruned.graph), OkStatus());
  std::set<std::string> names;
  for (const Node* n : pruned.graph->op_nodes()) names.insert(n->name());
  return names;
}

using Names = std::set<std::string>;

TEST(PruneForRun, KeepsWhatIsNeeded) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "", "x");
  const OutputRef a = Add(&g, "Identity", {x}, {}, "a");
  const OutputRef b = Add(&g, "Identity", {a}, {}, "b");
  Add(&g, "Identity", {b}, {}, "c");
  const OutputRef t = Add(&g, "NoOp", {}, {}, "t", {}, "", {a.node});
  EXPECT_EQ(Kept(g, {}, {b}), Names({"x", "a", "b", "_retval_0"}));
  EXPECT_EQ(Kept(g, {}, {}, {t.node}), Names({"x", "a", "t"}));
  EXPECT_EQ(Kept(g, {}, {}), Names());
}

TEST(PruneForRun, FeedsCut) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "", "x");
  const OutputRef a = Add(&g, "Identity", {x}, {}, "a");
  const OutputRef b = Add(&g, "Identity", {a}, {}, "b");
  EXPECT_EQ(Kept(g, {a}, {b}), Names({"_arg_0", "b", "_retval_0"}));
  EXPECT_EQ(Kept(g, {b}, {b}), Names({"_arg_0", "_retval_0"}));
  // A feed that nothing reads leaves no trace.
  EXPECT_EQ(Kept(g, {b}, {a}), Names({"x", "a", "_retval_0"}));
}

TEST(PruneForRun, AFedPlaceholderIsNotWaitedFor) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "", "x");
  const OutputRef t = Add(&g, "NoOp", {}, {}, "t", {}, "", {x.node});
  EXPECT_EQ(Kept(g, {x}, {}, {t.node}), Names({"t"}));
  EXPECT_EQ(Kept(g, {}, {}, {t.node}), Names({"x", "t"}));
}

TEST(PruneForRun, RefusesWrongFeedsAndFetches) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "", "x");
  PrunedGraph pruned;
  EXPECT_TRUE(errors::IsInvalidArgument(
      PruneForRun(g.graph(), {x, x}, {}, {}, &pruned)));
  EXPECT_TRUE(errors::IsInvalidArgument(
      PruneForRun(g.graph(), {}, {{x.node, 1}}, {}, &pruned)));
  EXPECT_TRUE(errors::IsInvalidArgument(
      PruneForRun(g.graph(), {{nullptr, 0}}, {}, {}, &pruned)));
}

}  // namespace
}  // namespace tensorwright
