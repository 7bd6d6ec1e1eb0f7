// SPDX-License-Identifier: Apache-2.0
// Frames of nodes.
#include "core/graph/control_flow_info.h"

#include "core/graph/graph_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

OutputRef Enter(LiveGraph* g, OutputRef x, const std::string& frame) {
  return Add(g, "Enter", {x},
             {{"frame_name", Attr("s: '" + frame + "'")},
              {"parallel_iterations", Attr("i: 3")}});
}

TEST(ControlFlowInfo, EnterAndExitStandAtTheBorder) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "");
  const OutputRef outer = Enter(&g, x, "outer");
  const OutputRef inner = Enter(&g, outer, "inner");
  const OutputRef body = Add(&g, "Identity", {inner});
  const OutputRef back = Add(&g, "Exit", {body});
  const OutputRef out = Add(&g, "Exit", {back});
  ControlFlowInfo info;
  ASSERT_EQ(BuildControlFlowInfo(g.graph(), &info), OkStatus());
  ASSERT_EQ(info.frames.size(), 3u);
  const int f = info.FrameOf(*inner.node);
  EXPECT_EQ(info.FrameOf(*outer.node), 0);
  EXPECT_EQ(info.OutputFrame(*outer.node), f);
  EXPECT_EQ(info.frames[f].name, "outer");
  EXPECT_EQ(info.frames[f].parallel_iterations, 3);
  const int in = info.FrameOf(*body.node);
  EXPECT_EQ(info.frames[in].parent, f);
  EXPECT_EQ(info.FrameOf(*back.node), in);
  EXPECT_EQ(info.OutputFrame(*back.node), f);
  EXPECT_EQ(info.OutputFrame(*out.node), 0);
}

TEST(ControlFlowInfo, InputsFromTwoFramesAreAnError) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "");
  Add(&g, "AddN", {x, Enter(&g, x, "loop")}, {}, "mixed", {2});
  ControlFlowInfo info;
  const Status s = BuildControlFlowInfo(g.graph(), &info);
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_EQ(errors::FailedNode(s), "mixed");
}

TEST(ControlFlowInfo, AnExitOutsideALoopIsAnError) {
  LiveGraph g;
  Add(&g, "Exit", {Placeholder(&g, "")});
  ControlFlowInfo info;
  EXPECT_TRUE(
      errors::IsInvalidArgument(BuildControlFlowInfo(g.graph(), &info)));
}

}  // namespace
}  // namespace tensorwright
