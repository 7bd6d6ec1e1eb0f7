// SPDX-License-Identifier: Apache-2.0
// Tests which updates of variables wait for which readers.
#include "core/graph/reads_before_writes.h"

#include <map>
#include <string>

#include "core/graph/graph_testutil.h"
#include "core/graph/validate.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

class ReadsBeforeWritesTest : public ::testing::Test {
 protected:
  OutputRef Variable(const std::string& name) {
    return Add(&live_, "VariableV2", {},
               {{"shape", Attr("shape {}")}, {"dtype", Attr("type: DT_FLOAT")}},
               name);
  }
  OutputRef Assign(OutputRef variable, OutputRef value,
                   const std::string& name) {
    return Add(&live_, "Assign", {variable, value}, {}, name);
  }
  OutputRef Neg(OutputRef x, const std::string& name) {
    return Add(&live_, "Neg", {x}, {}, name);
  }

  // Orders a copy, whose nodes are found by name.
  void Order(const std::map<std::string, std::string>& devices = {}) {
    std::map<const Node*, Node*> copies;
    for (const Node* n : live_.graph().op_nodes()) {
      copies[n] = by_name_[n->name()] = graph_.CopyNode(*n);
      const auto device = devices.find(n->name());
      if (device != devices.end()) {
        copies[n]->set_assigned_device_name(device->second);
      }
    }
    for (const Node* n : live_.graph().op_nodes()) {
      for (const Edge* e : n->in_edges()) {
        graph_.AddEdge(copies[e->src()], e->src_output(), copies[n],
                       e->dst_input());
      }
    }
    OrderReadsBeforeWrites(&graph_);
    EXPECT_TRUE(ValidateNoCycles(graph_).ok());
  }

  bool Waits(const std::string& name, const std::string& source) {
    for (const Edge* e : by_name_.at(name)->in_edges()) {
      if (e->IsControlEdge() && e->src() == by_name_.at(source)) return true;
    }
    return false;
  }

  LiveGraph live_;
  Graph graph_{OpRegistry::Global()};
  std::map<std::string, Node*> by_name_;
};

TEST_F(ReadsBeforeWritesTest, AssignmentsOfEachOthersValuesWaitForBothReaders) {
  const OutputRef x = Variable("x"), y = Variable("y");
  const OutputRef of_x = Neg(Add(&live_, "Identity", {x}), "of_x");
  const OutputRef of_y = Neg(y, "of_y");
  Assign(x, of_y, "to_x");
  Assign(y, of_x, "to_y");
  Order();
  EXPECT_TRUE(Waits("to_x", "of_x"));
  EXPECT_TRUE(Waits("to_y", "of_y"));
}

TEST_F(ReadsBeforeWritesTest, WhatFollowsAnUpdateDoesNotHoldItUp) {
  const OutputRef x = Variable("x");
  const OutputRef up =
      Add(&live_, "AssignAdd", {x, Neg(x, "before")}, {}, "up");
  Add(&live_, "Neg", {x}, {}, "after", {}, "", {up.node});
  Neg(up, "of_the_result");
  Neg(x, "free");
  Order();
  EXPECT_FALSE(Waits("up", "after"));
  EXPECT_FALSE(Waits("up", "of_the_result"));
  EXPECT_TRUE(Waits("up", "free"));
}

TEST_F(ReadsBeforeWritesTest, AnInitializerWaitsForNothing) {
  const OutputRef x = Variable("x"), y = Variable("y");
  Assign(x, Placeholder(&live_, "", "start"), "to_x");
  Assign(y, Neg(x, "of_x"), "to_y");
  Neg(y, "of_y");
  Order();
  EXPECT_FALSE(Waits("to_x", "of_x"));
  EXPECT_FALSE(Waits("to_y", "of_y"));
}

TEST_F(ReadsBeforeWritesTest, WritersThatReadEachOtherCloseNoCircle) {
  const OutputRef x = Variable("x"), y = Variable("y");
  Add(&live_, "AssignAdd", {x, y}, {}, "to_x");
  Add(&live_, "AssignAdd", {y, x}, {}, "to_y");
  Order();
  EXPECT_NE(Waits("to_x", "to_y"), Waits("to_y", "to_x"));
}

TEST_F(ReadsBeforeWritesTest, ResourceVariablesAreReadFirst) {
  const Attrs attrs = {{"shape", Attr("shape {}")},
                       {"dtype", Attr("type: DT_FLOAT")}};
  const Attrs dtype = {{"dtype", Attr("type: DT_FLOAT")}};
  const OutputRef x = Add(&live_, "VarHandleOp", {}, attrs, "x");
  const OutputRef read = Add(&live_, "ReadVariableOp", {x}, dtype, "read");
  Add(&live_, "ReadVariableOp", {x}, dtype, "another");
  Add(&live_, "AssignVariableOp", {x, Neg(read, "value")}, {}, "to_x");
  Order();
  EXPECT_TRUE(Waits("to_x", "another"));
}

TEST_F(ReadsBeforeWritesTest, NothingWaitsAcrossControlFlowOrDevices) {
  const OutputRef x = Variable("x");
  Add(&live_, "AssignAdd", {x, Neg(x, "before")}, {}, "up");
  const OutputRef taken =
      Add(&live_, "Switch",
          {Placeholder(&live_, "", "p"),
           Add(&live_, "Placeholder", {},
               {{"dtype", Attr("type: DT_BOOL")}, {"shape", Attr("shape {}")}},
               "pred")},
          {}, "switch");
  Add(&live_, "Add", {x, taken}, {}, "in_a_branch");
  Neg(x, "elsewhere");
  Neg(x, "here");
  Order({{"elsewhere", "/job:a/replica:0/task:0/device:CPU:1"}});
  EXPECT_FALSE(Waits("up", "in_a_branch"));
  EXPECT_FALSE(Waits("up", "elsewhere"));
  EXPECT_TRUE(Waits("up", "here"));
}

TEST_F(ReadsBeforeWritesTest, AReaderThatWaitsForAQueueIsLeftAlone) {
  const OutputRef x = Variable("x");
  const OutputRef up =
      Add(&live_, "AssignAdd", {x, Neg(x, "before")}, {}, "up");
  const OutputRef queue =
      Add(&live_, "FIFOQueueV2", {},
          {{"component_types", Attr("list { type: DT_FLOAT }")}}, "queue");
  Add(&live_, "QueueEnqueueV2", {queue, Add(&live_, "Identity", {up})}, {},
      "enqueue", {-1, 1});
  const OutputRef got =
      Add(&live_, "QueueDequeueV2", {queue},
          {{"component_types", Attr("list { type: DT_FLOAT }")}}, "dequeue");
  Add(&live_, "Add", {x, got}, {}, "reader");
  Order();
  EXPECT_FALSE(Waits("up", "reader"));
}

}  // namespace
}  // namespace tensorwright
