// SPDX-License-Identifier: Apache-2.0
#include "core/framework/rendezvous.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "core/framework/cancellation.h"
#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

Rendezvous::ParsedKey Key(const std::string& edge) {
  Rendezvous::ParsedKey key;
  Status s = Rendezvous::ParseKey(
      Rendezvous::CreateKey("/device:CPU:0", 7, "/device:CPU:1", edge,
                            FrameAndIter(2, 5)),
      &key);
  EXPECT_TRUE(s.ok()) << s;
  return key;
}

class RendezvousTest : public ::testing::Test {
 protected:
  core::RefCountPtr<Rendezvous> rendezvous_{NewLocalRendezvous()};
};

TEST(RendezvousKeyTest, PartsComeBack) {
  const Rendezvous::ParsedKey key = Key("edge_1_a");
  const Rendezvous::ParsedKey copy = key;
  for (const auto* k : {&key, &copy}) {
    EXPECT_EQ(k->src_device, "/device:CPU:0");
    EXPECT_EQ(k->src_incarnation, 7u);
    EXPECT_EQ(k->dst_device, "/device:CPU:1");
    EXPECT_EQ(k->edge_name, "edge_1_a");
    EXPECT_EQ(k->frame_and_iter, FrameAndIter(2, 5));
  }
}

TEST(RendezvousKeyTest, OtherTextsAreRefused) {
  Rendezvous::ParsedKey key;
  for (const char* bad :
       {"", ";;;;", "a;1;b;c", "a;1;b;c;0:0;d", "a;xyz;b;c;0:0", "a;1;b;c;0",
        "a;1;b;c;x:0", "a;1;;c;0:0"}) {
    EXPECT_FALSE(Rendezvous::ParseKey(bad, &key).ok()) << bad;
  }
}

TEST_F(RendezvousTest, EitherSideMayComeFirst) {
  Tensor value;
  bool dead = true;
  ASSERT_TRUE(rendezvous_->Send(Key("a"), {}, Tensor(1.5f), false).ok());
  ASSERT_TRUE(rendezvous_->Recv(Key("a"), {}, &value, &dead).ok());
  EXPECT_EQ(value.scalar_value<float>(), 1.5f);
  EXPECT_FALSE(dead);

  std::thread sender([&] {
    EXPECT_TRUE(rendezvous_->Send(Key("b"), {}, Tensor(2.5f), true).ok());
  });
  ASSERT_TRUE(rendezvous_->Recv(Key("b"), {}, &value, &dead).ok());
  EXPECT_EQ(value.scalar_value<float>(), 2.5f);
  EXPECT_TRUE(dead);
  sender.join();
}

TEST_F(RendezvousTest, ValuesOfOneKeyComeInOrder) {
  for (int32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(rendezvous_->Send(Key("a"), {}, Tensor(i), false).ok());
  }
  for (int32_t i = 0; i < 3; ++i) {
    Tensor value;
    bool dead;
    ASSERT_TRUE(rendezvous_->Recv(Key("a"), {}, &value, &dead).ok());
    EXPECT_EQ(value.scalar_value<int32_t>(), i);
  }
}

TEST_F(RendezvousTest, WaitingEndsAtTheTimeout) {
  Tensor value;
  bool dead;
  EXPECT_EQ(rendezvous_->Recv(Key("never"), {}, &value, &dead, 5).code(),
            error::DEADLINE_EXCEEDED);
}

TEST_F(RendezvousTest, AbortFailsWhatWaitsAndWhatComesLater) {
  Status seen;
  absl::Notification done;
  rendezvous_->RecvAsync(
      Key("a"), {},
      [&](const Status& s, const auto&, const auto&, const Tensor&, bool) {
        seen = s;
        done.Notify();
      });
  rendezvous_->StartAbort(errors::Aborted("stop"));
  done.WaitForNotification();
  EXPECT_EQ(seen.code(), error::ABORTED);
  EXPECT_EQ(rendezvous_->Send(Key("a"), {}, Tensor(1.0f), false).code(),
            error::ABORTED);
  Tensor value;
  bool dead;
  EXPECT_EQ(rendezvous_->Recv(Key("a"), {}, &value, &dead).code(),
            error::ABORTED);
}

TEST_F(RendezvousTest, CancellingEndsAWait) {
  CancellationManager manager;
  Rendezvous::Args args;
  args.cancellation_manager = &manager;
  int calls = 0;
  Status seen;
  const auto done = [&](const Status& s, const auto&, const auto&,
                        const Tensor&, bool) {
    ++calls;
    seen = s;
  };
  rendezvous_->RecvAsync(Key("a"), args, done);
  rendezvous_->RecvAsync(Key("b"), args, done);
  EXPECT_TRUE(rendezvous_->Send(Key("b"), {}, Tensor(1.0f), false).ok());
  EXPECT_EQ(calls, 1);
  manager.StartCancel();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(seen.code(), error::CANCELLED);
  rendezvous_->RecvAsync(Key("c"), args, done);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(seen.code(), error::CANCELLED);
}

TEST_F(RendezvousTest, ManyThreads) {
  constexpr int kKeys = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int32_t i = 0; i < kKeys; ++i) {
        const auto key = Key("k" + std::to_string(i));
        if (t == 0) {
          EXPECT_TRUE(rendezvous_->Send(key, {}, Tensor(i), false).ok());
        } else {
          Tensor value;
          bool dead;
          EXPECT_TRUE(rendezvous_->Recv(key, {}, &value, &dead).ok());
          EXPECT_EQ(value.scalar_value<int32_t>(), i);
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace tensorwright
