// SPDX-License-Identifier: Apache-2.0
#include "core/lib/core/thread_team.h"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "core/lib/core/threadpool.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace thread {
namespace {

// Notes what the members of one Start saw.
struct Roll {
  ThreadTeam* team = nullptr;
  int members = 0;
  std::mutex mu;
  std::set<int> ids;
  std::set<std::thread::id> threads;
  std::atomic<int> before_barrier{0};
  std::atomic<bool> all_arrived{true};

  static void Answer(void* data, int member) {
    auto* roll = static_cast<Roll*>(data);
    {
      std::lock_guard<std::mutex> lock(roll->mu);
      roll->ids.insert(member);
      roll->threads.insert(std::this_thread::get_id());
    }
    ++roll->before_barrier;
    // All members must be here at the same time, or this never returns.
    roll->team->Barrier(roll->members);
    if (roll->before_barrier != roll->members) roll->all_arrived = false;
    roll->team->Barrier(roll->members);
  }
};

void CallTogether(ThreadTeam* team, int members, Roll* roll) {
  roll->team = team;
  roll->members = members;
  team->Start(members, Roll::Answer, roll);
  Roll::Answer(roll, 0);
  team->Join();
}

TEST(ThreadTeamTest, MembersAreDistinctThreadsAtTheSameTime) {
  for (int size : {2, 3, 7}) {
    TeamPool pool(Env::Default(), "test", size);
    ThreadTeam team(&pool, size);
    ASSERT_EQ(team.size(), size);
    for (int members = 1; members <= size; ++members) {
      Roll roll;
      CallTogether(&team, members, &roll);
      EXPECT_EQ(roll.ids.size(), members);
      EXPECT_EQ(roll.threads.size(), members);
      EXPECT_TRUE(roll.all_arrived);
    }
  }
}

TEST(ThreadTeamTest, ATeamOfOneNeedsNoPool) {
  for (TeamPool* none : {static_cast<TeamPool*>(nullptr)}) {
    ThreadTeam team(none, 4);
    EXPECT_EQ(team.size(), 1);
    Roll roll;
    CallTogether(&team, 1, &roll);
    EXPECT_EQ(roll.threads, std::set({std::this_thread::get_id()}));
  }
}

TEST(ThreadTeamTest, AThousandTeamsAreGrantedInARow) {
  TeamPool pool(Env::Default(), "test", 2);
  for (int i = 0; i < 1000; ++i) {
    ThreadTeam team(&pool, 2);
    ASSERT_EQ(team.size(), 2);
    if (i % 3 == 0) continue;  // This team never starts anything.
    Roll roll;
    CallTogether(&team, 2, &roll);
    ASSERT_EQ(roll.threads.size(), 2);
  }
}

TEST(ThreadTeamTest, OneTeamAtATimeInAPool) {
  TeamPool pool(Env::Default(), "test", 8);
  {
    ThreadTeam team(&pool, 2);
    EXPECT_EQ(team.size(), 2);
    ThreadTeam second(&pool, 2);
    EXPECT_EQ(second.size(), 1);
  }
  ThreadTeam third(&pool, 2);
  EXPECT_EQ(third.size(), 2);
}

TEST(ThreadTeamTest, WhoAsksWhileOthersWorkIsAlone) {
  TeamPool pool(Env::Default(), "test", 4);
  auto first = std::make_unique<ThreadTeam>(&pool, 4);
  auto second = std::make_unique<ThreadTeam>(&pool, 4);
  EXPECT_EQ(first->size(), 4);
  EXPECT_EQ(second->size(), 1);
  first.reset();
  {
    // The second caller is at work on its own thread.
    ThreadTeam third(&pool, 4);
    EXPECT_EQ(third.size(), 1);
    // A caller that wants no team is in nobody's way.
    ThreadTeam fourth(&pool, 1);
    EXPECT_EQ(fourth.size(), 1);
  }
  second.reset();
  ThreadTeam fifth(&pool, 4);
  EXPECT_EQ(fifth.size(), 4);
}

TEST(ThreadTeamTest, DoesNotWaitForThreadsThatWaitForIt) {
  TeamPool pool(Env::Default(), "test", 2);
  absl::Notification go;
  absl::BlockingCounter waiting(2);
  absl::BlockingCounter gone(2);
  for (int i = 0; i < 2; ++i) {
    pool.Schedule([&] {
      waiting.DecrementCount();
      go.WaitForNotification();
      gone.DecrementCount();
    });
  }
  waiting.Wait();
  {
    ThreadTeam team(&pool, 2);
    EXPECT_EQ(team.size(), 1);
    Roll roll;
    CallTogether(&team, 1, &roll);
  }
  go.Notify();
  gone.Wait();
}

TEST(ThreadTeamTest, ComesBeforeClosuresThatWouldBlockItsThreads) {
  // A closure scheduled after the grant must not take the member's thread.
  for (int i = 0; i < 200; ++i) {
    TeamPool pool(Env::Default(), "test", 2);
    absl::Notification team_is_over;
    absl::BlockingCounter gone(4);
    {
      ThreadTeam team(&pool, 2);
      ASSERT_EQ(team.size(), 2);
      for (int j = 0; j < 4; ++j) {
        pool.Schedule([&] {
          team_is_over.WaitForNotification();
          gone.DecrementCount();
        });
      }
      Roll roll;
      CallTogether(&team, 2, &roll);
      ASSERT_EQ(roll.threads.size(), 2);
    }
    team_is_over.Notify();
    gone.Wait();
  }
}

TEST(ThreadTeamTest, TeamsAndLoopsOfManyThreadsEnd) {
  TeamPool pool(Env::Default(), "test", 3);
  ThreadPool loops(&pool);
  std::atomic<int64_t> elements{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        if ((i + t) % 2 == 0) {
          loops.ParallelFor(1000, 1000, [&](int64_t begin, int64_t end) {
            elements += end - begin;
          });
        } else {
          ThreadTeam team(&pool, 3);
          Roll roll;
          CallTogether(&team, team.size(), &roll);
          EXPECT_EQ(roll.threads.size(), team.size());
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(elements, 4 * 150 * 1000);
}

TEST(TeamPoolTest, RunsWhatIsScheduledBeforeItIsDestroyed) {
  std::atomic<int> ran{0};
  {
    TeamPool pool(Env::Default(), "test", 3);
    EXPECT_EQ(pool.NumThreads(), 3);
    // These are more closures than the queues hold.
    for (int i = 0; i < 10000; ++i) pool.Schedule([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 10000);
}

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST(TeamPoolTest, SleepsWhenIdleEvenInATeam) {
  TeamPool pool(Env::Default(), "test", 4);
  ThreadTeam team(&pool, 4);
  Roll roll;
  CallTogether(&team, team.size(), &roll);
  const double before = CpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(CpuSeconds() - before, 0.1);
}

}  // namespace
}  // namespace thread
}  // namespace tensorwright
