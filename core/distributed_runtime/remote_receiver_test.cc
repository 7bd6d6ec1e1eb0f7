// SPDX-License-Identifier: Apache-2.0
#include "core/distributed_runtime/remote_receiver.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/distributed_runtime/wire.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/worker.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);

// A worker that has the tensors of some keys; each is the key's own text.
// Calls for other keys wait.
class FakeWorker final : public Transport {
 public:
  struct Waiting final : public ClientCall {
    explicit Waiting(absl::Mutex* mu) : mu(mu) {}
    void Cancel() override {
      absl::MutexLock lock(mu);
      cancelled = true;
    }
    absl::Mutex* const mu;  // The worker's mutex.
    bool cancelled ABSL_GUARDED_BY(mu) = false;
    std::vector<std::string> keys;
    Done done;
  };

  std::shared_ptr<ClientCall> Call(absl::string_view, absl::Cord request,
                                   const CallOptions&, Done done) override {
    RecvTensorsRequest wanted;
    EXPECT_TRUE(Decode(request, &wanted).ok());
    auto call = std::make_shared<Waiting>(&mu_);
    call->keys.assign(wanted.rendezvous_key().begin(),
                      wanted.rendezvous_key().end());
    call->done = std::move(done);
    {
      absl::MutexLock lock(&mu_);
      ++calls_;
      waiting_.insert(call);
    }
    AnswerAll();
    return call;
  }

  void Add(const std::string& key, bool is_dead = false) {
    {
      absl::MutexLock lock(&mu_);
      there_[key] = is_dead;
    }
    AnswerAll();
  }
  void FailAll(const Status& status) {
    std::set<std::shared_ptr<Waiting>> waiting;
    {
      absl::MutexLock lock(&mu_);
      waiting.swap(waiting_);
    }
    for (const auto& call : waiting) {
      CallResult result;
      result.status = status;
      call->done(result);
    }
  }
  int calls() const {
    absl::MutexLock lock(&mu_);
    return calls_;
  }
  bool AwaitCalls(int n) const {
    absl::MutexLock lock(&mu_);
    const auto enough = [this, n]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return calls_ >= n;
    };
    return mu_.AwaitWithTimeout(absl::Condition(&enough), kPatience);
  }
  // The thread that made a call may not have heard of an abort yet.
  bool AwaitAllCancelled() const {
    absl::MutexLock lock(&mu_);
    const auto all = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return absl::c_all_of(waiting_,
                            [](const auto& call) { return call->cancelled; });
    };
    return mu_.AwaitWithTimeout(absl::Condition(&all), kPatience);
  }

 private:
  void AnswerAll() {
    std::vector<std::pair<std::shared_ptr<Waiting>, absl::Cord>> answers;
    {
      absl::MutexLock lock(&mu_);
      for (auto it = waiting_.begin(); it != waiting_.end();) {
        RecvTensorsResponse response;
        absl::Cord tensors;
        for (const std::string& key : (*it)->keys) {
          const auto found = there_.find(key);
          if (found == there_.end()) continue;
          if (found->second) {
            response.add_dead_key(key);
          } else {
            AppendNamedTensor(1, key, Tensor(key), &tensors);
          }
        }
        if (tensors.empty() && response.dead_key_size() == 0) {
          ++it;
          continue;
        }
        absl::Cord body = Encode(response);
        body.Append(tensors);
        answers.emplace_back(*it, body);
        it = waiting_.erase(it);
      }
    }
    for (auto& [call, body] : answers) {
      CallResult result;
      result.body = body;
      call->done(std::move(result));
    }
  }

  mutable absl::Mutex mu_;
  int calls_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<std::string, bool> there_ ABSL_GUARDED_BY(mu_);
  std::set<std::shared_ptr<Waiting>> waiting_ ABSL_GUARDED_BY(mu_);
};

class RemoteReceiverTest : public testing::Test {
 protected:
  struct Received {
    Status status;
    std::string value;
    bool is_dead = false;
  };

  void Receive(const std::string& key) {
    receiver_->Receive(
        worker_, key, Rendezvous::Args(),
        [this, key](const Status& status, const Rendezvous::Args&,
                    const Rendezvous::Args&, const Tensor& value, bool dead) {
          absl::MutexLock lock(&mu_);
          EXPECT_EQ(received_.count(key), 0) << key << " came twice";
          Received& got = received_[key];
          got.status = status;
          got.is_dead = dead;
          if (status.ok() && !dead) {
            got.value = *static_cast<const std::string*>(value.data());
          }
        });
  }
  bool Await(size_t n) {
    absl::MutexLock lock(&mu_);
    const auto enough = [this, n]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return received_.size() >= n;
    };
    return mu_.AwaitWithTimeout(absl::Condition(&enough), kPatience);
  }
  Received At(const std::string& key) {
    absl::MutexLock lock(&mu_);
    return received_[key];
  }
  size_t count() {
    absl::MutexLock lock(&mu_);
    return received_.size();
  }
  // Keeps the only thread of the pool busy while the body adds requests.
  template <typename Body>
  void Together(const Body& body) {
    // Shared by both, since the thread may be late.
    const auto added = std::make_shared<absl::Notification>();
    pool_.Schedule([added] { added->WaitForNotification(); });
    body();
    added->Notify();
  }

  absl::Mutex mu_;
  std::map<std::string, Received> received_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<FakeWorker> worker_ = std::make_shared<FakeWorker>();
  ElasticPool pool_{/*max_threads=*/1};
  std::shared_ptr<RemoteReceiver> receiver_ =
      std::make_shared<RemoteReceiver>(7, &pool_);
};

TEST_F(RemoteReceiverTest, WhatIsWantedTogetherTakesOneCall) {
  for (int i = 0; i < 100; ++i) worker_->Add(absl::StrCat("key", i));
  Together([this] {
    for (int i = 0; i < 100; ++i) Receive(absl::StrCat("key", i));
  });
  ASSERT_TRUE(Await(100));
  EXPECT_EQ(worker_->calls(), 1);
  for (int i = 0; i < 100; ++i) {
    const std::string key = absl::StrCat("key", i);
    EXPECT_TRUE(At(key).status.ok());
    EXPECT_EQ(At(key).value, key);
  }
}

TEST_F(RemoteReceiverTest, MoreKeysThanACallTakesGoInSeveral) {
  for (int i = 0; i < 600; ++i) worker_->Add(absl::StrCat("key", i));
  Together([this] {
    for (int i = 0; i < 600; ++i) Receive(absl::StrCat("key", i));
  });
  ASSERT_TRUE(Await(600));
  EXPECT_EQ(worker_->calls(), 3);
}

TEST_F(RemoteReceiverTest, WhatIsThereDoesNotWaitForWhatIsNot) {
  worker_->Add("quick");
  worker_->Add("dead", /*is_dead=*/true);
  Together([this] {
    for (const char* key : {"slow", "quick", "slower", "dead"}) Receive(key);
  });
  ASSERT_TRUE(Await(2));
  EXPECT_EQ(At("quick").value, "quick");
  EXPECT_TRUE(At("dead").is_dead);
  ASSERT_TRUE(worker_->AwaitCalls(2));
  EXPECT_EQ(count(), 2u);
  worker_->Add("slower");
  ASSERT_TRUE(Await(3));
  worker_->Add("slow");
  ASSERT_TRUE(Await(4));
  EXPECT_EQ(At("slow").value, "slow");
}

TEST_F(RemoteReceiverTest, AnAbortEndsWhatWaitsAndWhatComesLater) {
  Together([this] {
    Receive("a");
    Receive("b");
  });
  ASSERT_TRUE(worker_->AwaitCalls(1));
  receiver_->Abort(errors::Aborted("enough"));
  ASSERT_TRUE(Await(2));
  EXPECT_TRUE(errors::IsAborted(At("a").status));
  EXPECT_TRUE(worker_->AwaitAllCancelled());
  Receive("late");
  EXPECT_TRUE(errors::IsAborted(At("late").status));
  // An answer that comes nevertheless changes nothing.
  worker_->Add("a");
  EXPECT_EQ(count(), 3u);
}

TEST_F(RemoteReceiverTest, AFailureIsThatOfAllKeysOfTheCall) {
  Together([this] {
    Receive("a");
    Receive("b");
  });
  ASSERT_TRUE(worker_->AwaitCalls(1));
  worker_->FailAll(errors::Unavailable("gone"));
  ASSERT_TRUE(Await(2));
  EXPECT_TRUE(errors::IsUnavailable(At("a").status));
  EXPECT_TRUE(errors::IsUnavailable(At("b").status));
}

}  // namespace
}  // namespace tensorwright
