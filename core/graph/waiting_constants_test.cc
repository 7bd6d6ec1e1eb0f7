// SPDX-License-Identifier: Apache-2.0
// Moving a constant's control edges to its readers.
#include "core/graph/waiting_constants.h"

#include <map>

#include "core/graph/graph_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

class WaitingConstantsTest : public ::testing::Test {
 protected:
  // A float constant that waits for `x`.
  OutputRef Waiting() {
    return Add(&live_, "Const", {},
               {{"dtype", Attr("type: DT_FLOAT")},
                {"value", Attr("tensor { dtype: DT_FLOAT tensor_shape {} "
                               "float_val: 1 }")}},
               "c", {}, "", {x_.node});
  }

  // Frees the constants of a copy, whose nodes are found by name.
  void Free() {
    std::map<const Node*, Node*> copies;
    for (const Node* n : live_.graph().op_nodes()) {
      copies[n] = by_name_[n->name()] = graph_.CopyNode(*n);
    }
    for (const Node* n : live_.graph().op_nodes()) {
      for (const Edge* e : n->in_edges()) {
        graph_.AddEdge(copies[e->src()], e->src_output(), copies[n],
                       e->dst_input());
      }
    }
    FreeWaitingConstants(&graph_);
  }

  bool Waits(const std::string& name) { return WaitsFor(name, "x") > 0; }
  int WaitsFor(const std::string& name, const std::string& source) {
    int edges = 0;
    for (const Edge* e : by_name_.at(name)->in_edges()) {
      edges += e->src() == by_name_.at(source);
    }
    return edges;
  }

  LiveGraph live_;
  OutputRef x_ = Placeholder(&live_, "", "x");
  Graph graph_{OpRegistry::Global()};
  std::map<std::string, Node*> by_name_;
};

TEST_F(WaitingConstantsTest, AReaderWaitsInItsStead) {
  Add(&live_, "Neg", {Waiting()}, {}, "reader");
  Free();
  EXPECT_FALSE(Waits("c"));
  EXPECT_EQ(WaitsFor("reader", "x"), 1);
}

TEST_F(WaitingConstantsTest, ADataEdgeFromTheSameNodeIsEnough) {
  Add(&live_, "Add", {x_, Waiting()}, {}, "reader");
  Free();
  EXPECT_FALSE(Waits("c"));
  EXPECT_EQ(WaitsFor("reader", "x"), 1);
}

TEST_F(WaitingConstantsTest, WhatWaitsForTheConstantWaitsForItsReasons) {
  const OutputRef c = Waiting();
  Add(&live_, "NoOp", {}, {}, "reader", {}, "", {c.node});
  Free();
  EXPECT_FALSE(Waits("c"));
  EXPECT_EQ(WaitsFor("reader", "c"), 0);
  EXPECT_EQ(WaitsFor("reader", "x"), 1);
}

TEST_F(WaitingConstantsTest, AMergeNeedsTheConstantToArrive) {
  Add(&live_, "Merge", {Waiting(), x_},
      {{"T", Attr("type: DT_FLOAT")}, {"N", Attr("i: 2")}}, "reader", {2});
  Free();
  EXPECT_TRUE(Waits("c"));
}

}  // namespace
}  // namespace tensorwright
