// SPDX-License-Identifier: Apache-2.0
#include "core/distributed_runtime/mpi/engine.h"

#include <mpi/mpi.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/distributed_runtime/mpi/arithmetic.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace mpi {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr int kAnnounce = 1, kOrder = 2, kLeave = 3;
// MPI counts in int.
constexpr int64_t kMostElements = int64_t{1} << 30;
// Until people are told what a rank waits for.
constexpr auto kStalled = std::chrono::seconds(60);

int64_t FuseBytes() {
  const char* text = std::getenv("TENSORWRIGHT_MPI_FUSE_BYTES");
  int64_t bytes = 0;
  if (text != nullptr && absl::SimpleAtoi(text, &bytes) && bytes >= 0) {
    return bytes;
  }
  return int64_t{64} << 20;
}

Status Check(int code, const char* what) {
  if (code == MPI_SUCCESS) return OkStatus();
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return errors::Unavailable(what, ": ", std::string(text, length));
}

// The engine's state.  What is not guarded by mu_ is its thread's alone.
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
  Status RunOrder(const Order& order,
                  const std::vector<std::shared_ptr<Request>>& requests);
  Status Reduce(MPI_Comm comm,
                const std::vector<std::shared_ptr<Request>>& requests);
  Status CommOf(const Order& order, MPI_Comm* comm);
  std::shared_ptr<Request> Finish(Key key);
  void WatchTheClock();

  World world_;
  std::thread thread_;

  std::mutex mu_;
  std::condition_variable changed_;
  bool begun_ = false;
  Status begin_status_;
  bool leaving_ = false;
  Status end_;  // Why nothing can be submitted any more.
  std::vector<std::shared_ptr<Request>> submitted_;

  bool quit_ = false;
  bool said_that_it_leaves_ = false;
  std::string why_;
  // By key: the first has been announced, those behind it wait.
  std::map<Key, std::deque<std::shared_ptr<Request>>> requests_;
  std::map<int32_t, MPI_Comm> comms_;  // By group.
  std::vector<char> fused_;
  Clock::time_point moved_ = Clock::now();
  bool told_ = false;
  Arithmetic arithmetic_;

  // Of rank 0.
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
  TF_RETURN_IF_ERROR(
      Check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided),
            "MPI_Init_thread"));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_.size);
  MPI_Comm local;
  TF_RETURN_IF_ERROR(
      Check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
                                MPI_INFO_NULL, &local),
            "MPI_Comm_split_type"));
  MPI_Comm_rank(local, &world_.local_rank);
  MPI_Comm_size(local, &world_.local_size);
  MPI_Comm_free(&local);
  return arithmetic_.Initialize();
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
  arithmetic_.Free();
  for (auto& [group, comm] : comms_) {
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  }
  MPI_Finalize();
}

void Engine::Loop() {
  // Polling: MPI has no call that waits for messages and a thread's word alike.
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
  if (queue.size() > 1) return;  // Another step's; when that is done.
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
  // All others first: this thread is busy with the first that it carries out.
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

// The request that the key's order is about; the next one of the key is
// announced.
std::shared_ptr<Request> Engine::Finish(Key key) {
  auto at = requests_.find(key);
  std::shared_ptr<Request> request = std::move(at->second.front());
  at->second.pop_front();
  if (at->second.empty()) {
    requests_.erase(at);
  } else {
    std::shared_ptr<Request> next = std::move(at->second.front());
    at->second.pop_front();
    // As if it came now; those behind it stay behind it.
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
    status = RunOrder(order, requests);
  }
  for (const Key key : order.keys) Finish(key)->Answer(status);
}

Status Engine::CommOf(const Order& order, MPI_Comm* comm) {
  const int32_t group = GroupOf(order.keys[0]);
  const auto known = comms_.find(group);
  if (known != comms_.end()) {
    *comm = known->second;
    return OkStatus();
  }
  *comm = MPI_COMM_WORLD;
  if (static_cast<int>(order.members.size()) < world_.size) {
    MPI_Group world, members;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(order.members.size()),
                   order.members.data(), &members);
    const int code =
        MPI_Comm_create_group(MPI_COMM_WORLD, members, /*tag=*/0, comm);
    MPI_Group_free(&members);
    MPI_Group_free(&world);
    TF_RETURN_IF_ERROR(Check(code, "MPI_Comm_create_group"));
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
  }
  comms_[group] = *comm;
  return OkStatus();
}

Status Engine::RunOrder(const Order& order,
                        const std::vector<std::shared_ptr<Request>>& requests) {
  MPI_Comm comm;
  TF_RETURN_IF_ERROR(CommOf(order, &comm));
  Request& first = *requests[0];
  const auto in = first.input.tensor_data();
  char* const out = const_cast<char*>(first.output.tensor_data().data());
  const int64_t bytes = first.announcement.bytes;
  switch (first.announcement.kind) {
    case Kind::kReduce:
      return Reduce(comm, requests);
    case Kind::kGather: {
      if (bytes == 0) return OkStatus();
      // Rows as one type: a count of bytes would be too large for an int.
      MPI_Datatype part;
      if (bytes > kMostElements) {
        return errors::InvalidArgument(
            "CollectiveGather: input must have at most ", kMostElements,
            " bytes, got ", bytes);
      }
      MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &part);
      MPI_Type_commit(&part);
      const int code = MPI_Allgather(in.data(), 1, part, out, 1, part, comm);
      MPI_Type_free(&part);
      return Check(code, "MPI_Allgather");
    }
    case Kind::kSend:
    case Kind::kReceive: {
      const auto& members = order.members;
      const int root = static_cast<int>(
          std::find(members.begin(), members.end(), order.root) -
          members.begin());
      for (int64_t begin = 0; begin < bytes; begin += kMostElements) {
        const int64_t count = std::min(kMostElements, bytes - begin);
        TF_RETURN_IF_ERROR(Check(MPI_Bcast(out + begin, static_cast<int>(count),
                                           MPI_BYTE, root, comm),
                                 "MPI_Bcast"));
      }
      return OkStatus();
    }
  }
  return errors::Internal("no such collective");
}

Status Engine::Reduce(MPI_Comm comm,
                      const std::vector<std::shared_ptr<Request>>& requests) {
  const Announcement& first = requests[0]->announcement;
  const DataType dtype = static_cast<DataType>(first.dtype);
  const int64_t size = DataTypeSize(dtype);
  const auto reduce = [&](const void* in, char* out, int64_t bytes) -> Status {
    for (int64_t at = 0; at < bytes; at += kMostElements) {
      const int64_t count = std::min(kMostElements, bytes - at) / size;
      const void* from =
          in == nullptr ? MPI_IN_PLACE : static_cast<const char*>(in) + at;
      TF_RETURN_IF_ERROR(
          Check(MPI_Allreduce(from, out + at, static_cast<int>(count),
                              arithmetic_.Type(dtype),
                              arithmetic_.Op(dtype, first.merge), comm),
                "MPI_Allreduce"));
    }
    return OkStatus();
  };
  const auto out_of = [](const Request& request) {
    return const_cast<char*>(request.output.tensor_data().data());
  };
  if (requests.size() == 1) {
    Request& request = *requests[0];
    const char* in = request.input.tensor_data().data();
    char* out = out_of(request);
    TF_RETURN_IF_ERROR(
        reduce(in == out ? nullptr : in, out, request.announcement.bytes));
  } else {
    fused_.clear();
    for (const auto& request : requests) {
      const auto in = request->input.tensor_data();
      fused_.insert(fused_.end(), in.begin(), in.end());
    }
    TF_RETURN_IF_ERROR(reduce(nullptr, fused_.data(), fused_.size()));
    const char* at = fused_.data();
    for (const auto& request : requests) {
      std::memcpy(out_of(*request), at, request->announcement.bytes);
      at += request->announcement.bytes;
    }
  }
  for (const auto& request : requests) {
    if (request->divide) Divide(first.group_size, &request->output);
  }
  return OkStatus();
}

// Answers whose time is over, and says what is waited for when nothing moves.
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
// Never deleted: kernels may ask it until the process ends.
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
