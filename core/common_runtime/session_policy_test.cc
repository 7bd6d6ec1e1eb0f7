// SPDX-License-Identifier: Apache-2.0
// Policies for programs in C++; python/client/policy_test.py has more.
#include "core/common_runtime/session_policy.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/common_runtime/direct_session.h"
#include "core/framework/function.h"
#include "core/framework/graph.pb.h"
#include "core/lib/core/errors.h"
#include "core/platform/protobuf.h"
#include "core/protobuf/config.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

GraphDef Parsed(const std::string& text) {
  GraphDef def;
  EXPECT_TRUE(protobuf::TextFormat::ParseFromString(text, &def)) << text;
  return def;
}

std::string ConstText(const std::string& name, int size = 1) {
  return absl::StrCat("node { name: '", name, R"(' op: 'Const'
      attr { key: 'dtype' value { type: DT_INT32 } }
      attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: 7
        tensor_shape { dim { size: )",
                      size, " } } } } } }\n");
}

constexpr char kPath[] = R"(node { name: 'path' op: 'Const'
    attr { key: 'dtype' value { type: DT_STRING } }
    attr { key: 'value' value { tensor { dtype: DT_STRING string_val: '/x'
      tensor_shape { } } } } }
)";
constexpr char kRead[] = "node { name: 'read' op: 'ReadFile' input: 'path' }";
constexpr char kFunction[] = R"(library { function {
  signature { name: 'Reads' input_arg { name: 'p' type: DT_STRING }
              output_arg { name: 'text' type: DT_STRING } }
  node_def { name: 'inner' op: 'ReadFile' input: 'p' }
  ret { key: 'text' value: 'inner:contents:0' } } }
)";

std::unique_ptr<Session> SessionWith(const PolicyProto& policy) {
  ConfigProto config;
  *config.mutable_policy() = policy;
  auto made = NewSession("", config, std::make_shared<LiveGraph>());
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

PolicyProto Pure() {
  PolicyProto policy;
  policy.set_name("pure");
  policy.mutable_allow();
  return policy;
}

void ExpectRuns(Session* session) {
  std::vector<Tensor> fetched;
  const Status status = session->Run({}, {"one:0"}, {}, &fetched);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(*fetched[0].base<int32_t>(), 7);
}

TEST(SessionPolicy, ExtendChecksAllBeforeItImportsAny) {
  const auto session = SessionWith(Pure());
  ASSERT_EQ(session->Create(Parsed(ConstText("one"))), OkStatus());
  const int64_t version = session->graph()->version();
  for (const std::string& text : {absl::StrCat(ConstText("two"), kPath, kRead),
                                  absl::StrCat(ConstText("two"), kFunction)}) {
    const Status status = session->Extend(Parsed(text));
    EXPECT_TRUE(errors::IsPermissionDenied(status)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "(ReadFile)")) << status;
    EXPECT_TRUE(absl::StrContains(status.message(),
                                  "the policy 'pure' says 'allow: nothing'"));
    EXPECT_EQ(session->graph()->version(), version);
    ExpectRuns(session.get());
  }
  ASSERT_EQ(session->Extend(Parsed(ConstText("two"))), OkStatus());
  ExpectRuns(session.get());
}

TEST(SessionPolicy, AFunctionThatWasThereIsCheckedWhenItIsCalled) {
  PolicyProto all;
  all.set_max_nodes(100);
  const auto graph = std::make_shared<LiveGraph>();
  ASSERT_TRUE(graph
                  ->Import(Parsed(absl::StrCat(ConstText("one"), kFunction)),
                           ImportOptions())
                  .ok());
  ConfigProto config;
  *config.mutable_policy() = Pure();
  const auto session = *NewSession("", config, graph);
  ExpectRuns(session.get());
  const Status status = session->Extend(Parsed(
      absl::StrCat(kPath, "node { name: 'call' op: 'Reads' input: 'path' }")));
  // The bodies of functions that are in the session are not in the GraphDef.
  std::vector<Tensor> fetched;
  const Status ran =
      status.ok() ? session->Run({}, {"call:0"}, {}, &fetched) : status;
  EXPECT_TRUE(errors::IsPermissionDenied(ran)) << ran;
  EXPECT_TRUE(absl::StrContains(ran.message(), "Node 'inner' (ReadFile)"))
      << ran;
  ExpectRuns(session.get());
}

TEST(SessionPolicy, SizesOfImportsAreLimited) {
  PolicyProto policy;
  policy.set_name("small");
  policy.set_max_nodes(2);
  policy.set_max_constant_bytes(400);
  const auto session = SessionWith(policy);
  ASSERT_EQ(session->Create(Parsed(ConstText("one"))), OkStatus());
  const Status many = session->Extend(
      Parsed(absl::StrCat(ConstText("a"), ConstText("b"), ConstText("c"))));
  EXPECT_TRUE(errors::IsResourceExhausted(many)) << many;
  EXPECT_TRUE(absl::StrContains(many.message(), "'max_nodes: 2'")) << many;
  const Status large = session->Extend(Parsed(ConstText("a", 1 << 30)));
  EXPECT_TRUE(errors::IsResourceExhausted(large)) << large;
  EXPECT_TRUE(absl::StrContains(large.message(), "Node 'a' (Const)")) << large;
  EXPECT_TRUE(absl::StrContains(large.message(), "'max_constant_bytes: 400'"));
  ExpectRuns(session.get());
  // Two GraphDefs that are small, and too much together.
  ASSERT_EQ(session->Extend(Parsed(ConstText("a"))), OkStatus());
  ExpectRuns(session.get());
  ASSERT_EQ(session->Extend(Parsed(ConstText("b"))), OkStatus());
  std::vector<Tensor> fetched;
  const Status ran = session->Run({}, {"b:0"}, {}, &fetched);
  EXPECT_TRUE(errors::IsResourceExhausted(ran)) << ran;
}

TEST(SessionPolicy, FunctionsNestedWithoutEndAreChecked) {
  // f0 calls f1, which calls f2, ...: deeper than the stack would bear.
  std::string text = "library {";
  constexpr int kFunctions = 20000;
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "function { signature { name: 'f", i,
                    "' input_arg { name: 'p' type: DT_STRING }"
                    " output_arg { name: 't' type: DT_STRING } }"
                    " node_def { name: 'n' input: 'p' op: '",
                    i + 1 == kFunctions ? std::string("ReadFile")
                                        : absl::StrCat("f", i + 1),
                    "' } ret { key: 't' value: 'n:0' } }\n");
  }
  const GraphDef def = Parsed(absl::StrCat(text, "}"));
  std::shared_ptr<const SessionPolicy> policy;
  ASSERT_EQ(SessionPolicy::FromProto(Pure(), &policy), OkStatus());
  const Status status = policy->CheckGraphDef(def, *OpRegistry::Global());
  EXPECT_TRUE(errors::IsPermissionDenied(status)) << status;
}

TEST(SessionPolicy, FieldsThatMakeNoSenseMakeNoSession) {
  PolicyProto unknown;
  unknown.add_deny("disk");
  PolicyProto negative;
  negative.set_max_steps(-1);
  PolicyProto both = Pure();
  both.add_read("/a");
  both.add_deny("files");
  for (const PolicyProto& policy : {unknown, negative, both}) {
    ConfigProto config;
    *config.mutable_policy() = policy;
    const auto made = NewSession("", config, std::make_shared<LiveGraph>());
    EXPECT_TRUE(errors::IsInvalidArgument(made.status())) << made.status();
  }
}

TEST(SessionPolicy, WithoutAPolicyThereIsNone) {
  std::shared_ptr<const SessionPolicy> policy;
  ASSERT_EQ(SessionPolicy::FromConfig(ConfigProto(), &policy), OkStatus());
  EXPECT_EQ(policy, nullptr);
  ASSERT_EQ(SessionPolicy::FromProto(PolicyProto(), &policy), OkStatus());
  EXPECT_EQ(policy->env(), Env::Default());
  EXPECT_EQ(policy->DebugString(), "allow: everything");
  EXPECT_EQ(policy->Deadline(), absl::InfiniteFuture());
}

}  // namespace
}  // namespace tensorwright
