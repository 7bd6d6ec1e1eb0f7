// SPDX-License-Identifier: Apache-2.0
// Engine: its thread, the messages between ranks, and the answers to ops.
#include "core/distributed_runtime/mpi/engine.h"

#include <mpi/mpi.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/distributed_runtime/mpi/collectives.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace mpi {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr int kAnnounce = 1, kOrder = 2, kLeave = 3;
// The time after which people are told what a rank waits for.
constexpr auto kStalled = std::chrono::seconds(60);

int64_t FuseBytes() {
  const char* text = std::getenv("TENSORWRIGHT_MPI_FUSE_BYTES");
  int64_t bytes = 0;
  if (text != nullptr && absl::SimpleAtoi(text, &bytes) && bytes >= 0) {
    return bytes;
  }
  return int64_t{64} << 20;
}

// The engine's state.  Members that mu_ does not guard belong to its thread
// alone.
class Engine {
 public:
  Engine() : coordinator_(FuseBytes()) {}

  Status Begin() {
    thread_ = std::thread([this] { Run(); });
    std::unique_lock<std::mutex> lock(mu_);
    changed_.wait(lock, [this] { return begun_; });
    return begin_status_;
  }

  void Stop() {
    {
      std::lock_guard<std::mutex> lock(mu_);
      leaving_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  Status Submit(std::shared_ptr<Request> request) {
    {
      std::lock_guard<std::mutex> lock(mu_);
      if (!end_.ok()) return end_;
      submitted_.push_back(std::move(request));
    }
    changed_.notify_all();
    return OkStatus();
  }

  const World& world() const { return world_; }

 private:
  void Run();
  Status Initialize();
  void Loop();
  void End(const std::string& why);

  void Announce(std::shared_ptr<Request> request);
  void TakeAnnouncements();
  void SendOrders();
  bool TakeOrders();
  void CarryOut(const Order& order);
  std::shared_ptr<Request> Finish(Key key);
  void WatchTheClock();

  World world_;
  std::thread thread_;

  std::mutex mu_;
  std::condition_variable changed_;
  bool begun_ = false;
  Status begin_status_;
  bool leaving_ = false;
  Status end_;  // The reason why nothing can be submitted any more.
  std::vector<std::shared_ptr<Request>> submitted_;

  bool quit_ = false;
  bool said_that_it_leaves_ = false;
  std::string why_;
  // By key: the first request has been announced, those after it wait.
  std::map<Key, std::deque<std::shared_ptr<Request>>> requests_;
  Clock::time_point moved_ = Clock::now();
  bool told_ = false;
  Collectives collectives_;

  // Used by rank 0.
  Coordinator coordinator_;
  std::deque<Order> own_orders_;
};

Status Engine::Initialize() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized) {
    return errors::FailedPrecondition(
        "MPI was initialized by another library of this process");
  }
  int provided = 0;
  TF_RETURN_IF_ERROR(CheckMpi(
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided),
      "MPI_Init_thread"));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_.size);
  MPI_Comm local;
  TF_RETURN_IF_ERROR(
      CheckMpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
                                   MPI_INFO_NULL, &local),
               "MPI_Comm_split_type"));
  MPI_Comm_rank(local, &world_.local_rank);
  MPI_Comm_size(local, &world_.local_size);
  MPI_Comm_free(&local);
  return collectives_.Initialize();
}

void Engine::Run() {
  const Status status = Initialize();
  {
    std::lock_guard<std::mutex> lock(mu_);
    begun_ = true;
    begin_status_ = status;
    if (!status.ok()) end_ = status;
  }
  changed_.notify_all();
  if (!status.ok()) return;
  Loop();
  End(why_);
  collectives_.Free();
  MPI_Finalize();
}

void Engine::Loop() {
  // Polls, since MPI has no call that waits both for messages and for a
  // thread's signal.
  auto pause = microseconds(0);
  while (!quit_) {
    std::vector<std::shared_ptr<Request>> submitted;
    bool leave = false;
    {
      std::unique_lock<std::mutex> lock(mu_);
      if (pause.count() > 0) {
        changed_.wait_for(lock, pause, [this] {
          return !submitted_.empty() || (leaving_ && !said_that_it_leaves_);
        });
      }
      submitted.swap(submitted_);
      leave = leaving_ && !said_that_it_leaves_;
    }
    bool moved = !submitted.empty() || leave;
    for (auto& request : submitted) Announce(std::move(request));
    if (leave) {
      said_that_it_leaves_ = true;
      MPI_Send(nullptr, 0, MPI_BYTE, 0, kLeave, MPI_COMM_WORLD);
    }
    if (world_.rank == 0) {
      TakeAnnouncements();
      SendOrders();
    }
    moved |= TakeOrders();
    if (moved) {
      moved_ = Clock::now();
      told_ = false;
      pause = microseconds(0);
    } else {
      WatchTheClock();
      const auto longest = microseconds(requests_.empty() ? 2000 : 100);
      pause = std::min(pause * 2 + microseconds(10), longest);
    }
  }
}

void Engine::Announce(std::shared_ptr<Request> request) {
  request->announcement.rank = world_.rank;
  auto& queue = requests_[request->announcement.key];
  queue.push_back(std::move(request));
  // The first is another step's; this one follows when that is done.
  if (queue.size() > 1) return;
  const Announcement& announcement = queue.front()->announcement;
  if (world_.rank == 0) {
    coordinator_.Add(announcement);
  } else {
    MPI_Send(&announcement, sizeof(announcement), MPI_BYTE, 0, kAnnounce,
             MPI_COMM_WORLD);
  }
}

void Engine::TakeAnnouncements() {
  while (true) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kAnnounce, MPI_COMM_WORLD, &there, &status);
    if (!there) break;
    Announcement announcement;
    MPI_Recv(&announcement, sizeof(announcement), MPI_BYTE, status.MPI_SOURCE,
             kAnnounce, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    coordinator_.Add(announcement);
  }
}

void Engine::SendOrders() {
  std::vector<Order> orders = coordinator_.Take();
  int leaves = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kLeave, MPI_COMM_WORLD, &leaves, &status);
  if (leaves) {
    MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, kLeave, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    Order order;
    order.what = Order::What::kQuit;
    for (int rank = 0; rank < world_.size; ++rank) {
      order.members.push_back(rank);
    }
    order.error = absl::StrCat("rank ", status.MPI_SOURCE, " has left");
    orders.push_back(std::move(order));
  }
  // All other ranks come first, since this thread is busy with the first order
  // that it carries out.
  for (Order& order : orders) {
    const std::string encoded = order.Encode();
    for (const int32_t member : order.members) {
      if (member == 0) {
        own_orders_.push_back(order);
      } else {
        MPI_Send(encoded.data(), static_cast<int>(encoded.size()), MPI_BYTE,
                 member, kOrder, MPI_COMM_WORLD);
      }
    }
  }
}

bool Engine::TakeOrders() {
  bool any = false;
  if (world_.rank == 0) {
    while (!own_orders_.empty()) {
      any = true;
      const Order order = std::move(own_orders_.front());
      own_orders_.pop_front();
      CarryOut(order);
    }
    return any;
  }
  while (!quit_) {
    int there = 0, length = 0;
    MPI_Status status;
    MPI_Iprobe(0, kOrder, MPI_COMM_WORLD, &there, &status);
    if (!there) break;
    any = true;
    MPI_Get_count(&status, MPI_BYTE, &length);
    std::string encoded(length, '\0');
    MPI_Recv(encoded.data(), length, MPI_BYTE, 0, kOrder, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    CarryOut(Order::Decode(encoded));
  }
  return any;
}

// Takes out the request that the key's order is about, and announces the key's
// next one.
std::shared_ptr<Request> Engine::Finish(Key key) {
  auto at = requests_.find(key);
  std::shared_ptr<Request> request = std::move(at->second.front());
  at->second.pop_front();
  if (at->second.empty()) {
    requests_.erase(at);
  } else {
    std::shared_ptr<Request> next = std::move(at->second.front());
    at->second.pop_front();
    // Announces it as if it came now; those after it stay after it.
    std::deque<std::shared_ptr<Request>> rest = std::move(at->second);
    at->second.clear();
    Announce(std::move(next));
    auto& queue = requests_[key];
    for (auto& waiting : rest) queue.push_back(std::move(waiting));
  }
  return request;
}

void Engine::CarryOut(const Order& order) {
  if (order.what == Order::What::kQuit) {
    quit_ = true;
    why_ = order.error;
    return;
  }
  std::vector<std::shared_ptr<Request>> requests;
  for (const Key key : order.keys) {
    requests.push_back(requests_.at(key).front());
  }
  Status status;
  if (order.what == Order::What::kFail) {
    status = errors::InvalidArgument(order.error);
  } else {
    status = collectives_.Run(order, requests);
  }
  for (const Key key : order.keys) Finish(key)->Answer(status);
}

// Answers requests whose time is over, and reports what is waited for when
// nothing moves.
void Engine::WatchTheClock() {
  const auto now = Clock::now();
  for (auto& [key, queue] : requests_) {
    for (auto& request : queue) {
      if (now >= request->deadline) {
        request->Answer(errors::DeadlineExceeded(
            "the other ranks of the group did not take part in time"));
      }
    }
  }
  if (!told_ && world_.rank == 0 && now - moved_ > kStalled) {
    const std::string waiting = coordinator_.Waiting();
    if (!waiting.empty()) {
      LOG(WARNING) << "for a minute no collective could run:\n" << waiting;
    }
    told_ = true;
  }
}

void Engine::End(const std::string& why) {
  const Status status =
      errors::Unavailable("collectives by MPI have ended: ", why);
  std::vector<std::shared_ptr<Request>> left;
  {
    std::lock_guard<std::mutex> lock(mu_);
    end_ = status;
    left.swap(submitted_);
  }
  for (auto& [key, queue] : requests_) {
    left.insert(left.end(), queue.begin(), queue.end());
  }
  requests_.clear();
  for (auto& request : left) request->Answer(status);
}

std::mutex engine_mu;
// Never deleted, since kernels may ask it until the process ends.
Engine* engine = nullptr;
bool stopped = false;

}  // namespace

Status Start(World* world) {
  std::lock_guard<std::mutex> lock(engine_mu);
  if (stopped) {
    return errors::FailedPrecondition("MPI was ended and starts only once");
  }
  if (engine == nullptr) {
    auto* made = new Engine;
    const Status status = made->Begin();
    if (!status.ok()) {
      made->Stop();
      return status;
    }
    engine = made;
  }
  *world = engine->world();
  return OkStatus();
}

void Stop() {
  Engine* running = nullptr;
  {
    std::lock_guard<std::mutex> lock(engine_mu);
    if (engine == nullptr || stopped) return;
    stopped = true;
    running = engine;
  }
  running->Stop();
}

World CurrentWorld() {
  std::lock_guard<std::mutex> lock(engine_mu);
  return engine == nullptr ? World() : engine->world();
}

Status Submit(std::shared_ptr<Request> request) {
  Engine* running = nullptr;
  {
    std::lock_guard<std::mutex> lock(engine_mu);
    running = engine;
  }
  if (running == nullptr) {
    return errors::FailedPrecondition(
        "collectives of several processes need MPI: start the program by "
        "mpirun "
        "and call tensorwright.cluster.mpi.init() first");
  }
  return running->Submit(std::move(request));
}

}  // namespace mpi
}  // namespace tensorwright
