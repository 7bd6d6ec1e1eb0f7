// SPDX-License-Identifier: Apache-2.0
#include "core/common_runtime/session.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/common_runtime/runtime_testutil.h"
#include "core/framework/device_attributes.pb.h"
#include "core/framework/graph.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: its tests.

class FakeCallable final : public Callable {
 public:
  explicit FakeCallable(RunSignature s) : signature(std::move(s)) {}
  const RunSignature signature;
};

// Returns the names of its fetches as their values, as a session elsewhere
// would see them.
class FakeSession final : public Session {
 public:
  FakeSession(std::string target, std::shared_ptr<LiveGraph> graph)
      : Session(std::move(graph)), target_(std::move(target)) {}

  StatusOr<std::shared_ptr<const Callable>> MakeCallable(
      const RunSignature& signature, const RunHooks&) override {
    return std::shared_ptr<const Callable>(
        std::make_shared<FakeCallable>(signature));
  }
  bool IsCurrent(const Callable&) const override { return true; }
  Status RunCallable(const Callable& callable, const RunOptions*,
                     absl::Span<const Tensor> feeds,
                     std::vector<Tensor>* fetches, RunMetadata*,
                     const RunHooks&) override {
    const RunSignature& s =
        static_cast<const FakeCallable&>(callable).signature;
    if (feeds.size() != s.feeds.size()) {
      return errors::InvalidArgument("wrong number of feeds");
    }
    fetches->clear();
    for (const std::string& name : s.fetches) {
      fetches->push_back(Tensor(tstring(absl::StrCat(target_, "/", name))));
    }
    return OkStatus();
  }
  StatusOr<int64_t> PartialRunSetup(const RunSignature&,
                                    std::vector<FeedSpec>*) override {
    return errors::Unimplemented("no pieces");
  }
  Status RunPiece(int64_t, absl::Span<const int>, absl::Span<const Tensor>,
                  absl::Span<const int>, std::vector<Tensor>*,
                  const RunHooks&) override {
    return errors::Unimplemented("no pieces");
  }
  Status ListDevices(std::vector<DeviceAttributes>* devices) const override {
    devices->emplace_back().set_name(target_);
    return OkStatus();
  }
  Status Reset(absl::Span<const std::string>) override { return OkStatus(); }
  Status Close() override { return OkStatus(); }

 private:
  const std::string target_;
};

std::vector<std::string>* resets = new std::vector<std::string>;

class FakeFactory final : public SessionFactory {
 public:
  StatusOr<std::unique_ptr<Session>> NewSession(
      const std::string& target, const ConfigProto&,
      std::shared_ptr<LiveGraph> graph) override {
    return std::unique_ptr<Session>(
        std::make_unique<FakeSession>(target, std::move(graph)));
  }
  Status Reset(const std::string& target, const ConfigProto&,
               absl::Span<const std::string> containers) override {
    resets->push_back(absl::StrCat(target, " ", containers.size()));
    return OkStatus();
  }
};
const RegisterSessionFactory<FakeFactory> kRegistered("fake");

TEST(SessionFactoryTest, TheSchemeOfTheTargetChooses) {
  const auto graph = std::make_shared<LiveGraph>();
  auto session = NewSession("fake://there:1", ConfigProto(), graph);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->graph(), graph);
  std::vector<Tensor> fetched;
  ASSERT_EQ(
      (*session)->Run({{"x:0", Tensor(1.0f)}}, {"y:1"}, {"train"}, &fetched),
      OkStatus());
  ASSERT_EQ(fetched.size(), 1u);
  EXPECT_EQ(*fetched[0].base<tstring>(), "fake://there:1/y:1");
  EXPECT_EQ(ResetSessions("fake://there:1", ConfigProto(), {"a", "b"}),
            OkStatus());
  EXPECT_EQ(*resets, std::vector<std::string>{"fake://there:1 2"});
}

TEST(SessionFactoryTest, AnUnknownTargetIsNotFoundAndSaysWhatThereIs) {
  for (const char* target : {"nosuch://there:1", "fake", "fakes://", "local"}) {
    const Status s =
        NewSession(target, ConfigProto(), std::make_shared<LiveGraph>())
            .status();
    EXPECT_TRUE(errors::IsNotFound(s)) << s;
    EXPECT_TRUE(absl::StrContains(s.message(), absl::StrCat("'", target, "'")))
        << s;
    EXPECT_TRUE(absl::StrContains(s.message(), "'fake://'")) << s;
  }
}

TEST(SessionFactoryTest, NoTargetIsTheDevicesOfThisProcess) {
  Builder b;
  const OutputRef x = b.Op("Placeholder", {}, {{"dtype", Attr(DT_FLOAT)}}, "x");
  b.Op("TestAdd", {x, b.Const(1)}, {}, "y");
  auto session = NewSession("", ConfigProto(), b.graph);
  ASSERT_TRUE(session.ok()) << session.status();
  std::vector<DeviceAttributes> devices;
  ASSERT_EQ((*session)->ListDevices(&devices), OkStatus());
  EXPECT_EQ(devices.at(0).device_type(), "CPU");
  std::vector<Tensor> fetched;
  ASSERT_EQ((*session)->Run({{"x", Tensor(2.0f)}}, {"y:0"}, {"y"}, &fetched),
            OkStatus());
  EXPECT_EQ(*fetched.at(0).base<float>(), 3);
  EXPECT_EQ(ResetSessions("", ConfigProto(), {}), OkStatus());
}

TEST(SessionTest, NamesThatAreNotInTheGraphAreNotFound) {
  Builder b;
  b.Op("Const", {}, {{"dtype", Attr(DT_FLOAT)}, {"value", Attr(Tensor(1.0f))}},
       "c");
  auto session = *NewSession("", ConfigProto(), b.graph);
  const auto status = [&](const RunSignature& signature) {
    return session->MakeCallable(signature, {}).status();
  };
  EXPECT_EQ(status({{}, {"c:0"}, {"c"}}), OkStatus());
  const std::vector<std::pair<RunSignature, const char*>> bad = {
      {{{"nosuch:0"}, {}, {}}, "feed 'nosuch:0'"},
      {{{}, {"c:1"}, {}}, "fetch 'c:1' is no output of c (Const)"},
      {{{}, {"^c"}, {}}, "fetch '^c'"},
      {{{}, {}, {"c:0"}}, "target 'c:0'"},
  };
  for (const auto& [signature, words] : bad) {
    const Status s = status(signature);
    EXPECT_TRUE(errors::IsNotFound(s)) << s;
    EXPECT_TRUE(absl::StrContains(s.message(), words)) << s;
  }
}

TEST(SessionTest, AGraphDefIsCreatedOnceAndThenExtended) {
  Builder b;
  b.Op("Const", {}, {{"dtype", Attr(DT_FLOAT)}, {"value", Attr(Tensor(1.0f))}},
       "c");
  GraphDef def;
  b.graph->ToGraphDef(&def);
  auto session = *NewSession("", ConfigProto(), std::make_shared<LiveGraph>());
  ASSERT_EQ(session->Create(def), OkStatus());
  EXPECT_TRUE(errors::IsAlreadyExists(session->Create(def)));
  // A node of that name is there already.
  EXPECT_TRUE(errors::IsInvalidArgument(session->Extend(def)));
  def.mutable_node(0)->set_name("d");
  ASSERT_EQ(session->Extend(def), OkStatus());
  std::vector<Tensor> fetched;
  ASSERT_EQ(session->Run({}, {"c", "d"}, {}, &fetched), OkStatus());
  EXPECT_EQ(fetched.size(), 2u);
}

TEST(SessionTest, ARunByNamesTakesOptionsAndTellsOfItself) {
  Builder b;
  const OutputRef fed =
      b.Op("Placeholder", {}, {{"dtype", Attr(DT_FLOAT)}}, "x");
  b.Op("TestAdd", {fed, b.Const(2)}, {}, "sum");
  auto session = *NewSession("", ConfigProto(), b.graph);
  RunOptions options;
  options.set_trace_level(RunOptions::FULL_TRACE);
  RunMetadata metadata;
  std::vector<Tensor> fetched;
  ASSERT_EQ(session->Run(options, {{"x", Tensor(1.0f)}}, {"sum"}, {}, &fetched,
                         &metadata),
            OkStatus());
  EXPECT_EQ(*fetched.at(0).base<float>(), 3);
  EXPECT_GT(metadata.step_stats().dev_stats_size(), 0);
  EXPECT_TRUE(errors::IsNotFound(
      session->Run(options, {}, {"no_such_node"}, {}, &fetched, nullptr)));
}

TEST(SessionTest, ACallableOutlivesGrowthButNotMutation) {
  Builder b;
  const OutputRef one = b.Const(1);
  const OutputRef x = b.Op("TestAdd", {one, one}, {}, "x");
  auto session = *NewSession("", ConfigProto(), b.graph);
  const auto callable = *session->MakeCallable({{}, {"x"}, {}}, {});
  b.Const(3);
  EXPECT_TRUE(session->IsCurrent(*callable));
  TF_CHECK_OK(b.graph->UpdateInput(x.node, 0, b.Const(40)));
  EXPECT_FALSE(session->IsCurrent(*callable));
  std::vector<Tensor> fetched;
  ASSERT_EQ(session->RunCallable(**session->MakeCallable({{}, {"x"}, {}}, {}),
                                 nullptr, {}, &fetched, nullptr, {}),
            OkStatus());
  EXPECT_EQ(*fetched.at(0).base<float>(), 41);
}

}  // namespace
}  // namespace tensorwright
