// SPDX-License-Identifier: Apache-2.0
#include "core/lib/gpu/blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

// Saves the callee's registers and stack pointer in *from, and goes on where
// another call was left whose stack pointer is `to`.  glibc's swapcontext would
// do the same with two system calls.
extern "C" __attribute__((visibility("hidden"))) void tensorwright_switch_fiber(
    void** from, void* to);
asm(R"(
  .text
  .globl tensorwright_switch_fiber
  .hidden tensorwright_switch_fiber
  .type tensorwright_switch_fiber, @function
tensorwright_switch_fiber:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size tensorwright_switch_fiber, .-tensorwright_switch_fiber
)");

namespace tensorwright {
namespace gpu {
namespace emulation {
namespace {

constexpr int kWarpThreads = 32;
constexpr unsigned kMostThreads = 1024;
constexpr size_t kStackBytes = 64 << 10, kGuardBytes = 4 << 10;
constexpr unsigned char kGarbage = 0xa5;

// A stack of its own, and the place where its code was left.
class Fiber {
 public:
  Fiber() {
    memory_ = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory_ != MAP_FAILED) << "No memory for the stack of a fiber";
    CHECK_EQ(mprotect(memory_, kGuardBytes, PROT_NONE), 0);
  }
  ~Fiber() { munmap(memory_, kStackBytes); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the next switch to this fiber call `main`, which never returns.
  void Prepare(void (*main)()) {
    auto** top =
        reinterpret_cast<void**>(static_cast<char*>(memory_) + kStackBytes);
    // From the top: a return address for `main`, which it never uses; where the
    // switch returns to; six registers.
    top[-1] = nullptr;
    top[-2] = reinterpret_cast<void*>(main);
    for (int i = 3; i <= 8; ++i) top[-i] = nullptr;
    stack_pointer = top - 8;
  }

  void* stack_pointer = nullptr;

 private:
  void* memory_;
};

enum class State { kNew, kRunning, kAtBlock, kAtWarp, kReturned };

struct Thread {
  State state = State::kNew;
  Fiber* fiber = nullptr;  // Holds the thread while it waits.
  Meeting meeting = Meeting::kBarrier;
  unsigned mask = 0;
  uint64_t value = 0;  // Given to the meeting, then what it returns.
  int source = 0;
};

// The block that an OS thread runs, and its fibers, which later blocks use
// again.
class Runner {
 public:
  static Runner& OfThread() {
    static thread_local Runner runner;
    return runner;
  }

  Status Run(const std::string& kernel, dim3 blocks, dim3 threads,
             size_t shared_bytes, const std::function<void()>& body);

  // Puts the running thread aside until its meeting is complete.
  uint64_t Wait(State state, Meeting meeting, unsigned mask, uint64_t value,
                int source) {
    Thread& self = threads_[running_];
    self = {state, fiber_, meeting, mask, value, source};
    LeaveFiber();
    return self.value;
  }

  void* Shared(const void* key, size_t bytes) {
    std::unique_ptr<unsigned char[]>& memory = shared_[key];
    if (memory == nullptr) memory = Garbage(bytes);
    return memory.get();
  }
  void* Dynamic() { return dynamic_.get(); }
  // Fibers of threads that wait forever cannot be used again.
  void DropFibers() {
    idle_.clear();
    fibers_.clear();
  }
  const Place& place() const { return place_; }
  int lane() const { return running_ % kWarpThreads; }

 private:
  static std::unique_ptr<unsigned char[]> Garbage(size_t bytes) {
    // operator new aligns it for all types.
    std::unique_ptr<unsigned char[]> memory(new unsigned char[bytes + 1]);
    std::memset(memory.get(), kGarbage, bytes);
    return memory;
  }

  static void FiberMain() {
    Runner& runner = OfThread();
    for (;;) {
      runner.RunNewThreads();
      runner.idle_.push_back(runner.fiber_);
      runner.LeaveFiber();
    }
  }

  void RunNewThreads() {
    while (next_ < order_.size()) {
      const int thread = order_[next_++];
      Enter(thread);
      (*body_)();
      threads_[thread].state = State::kReturned;
    }
  }

  void Enter(int thread) {
    running_ = thread;
    threads_[thread].state = State::kRunning;
    const unsigned x = place_.threads.x, y = place_.threads.y;
    place_.thread = dim3(thread % x, thread / x % y, thread / (x * y));
  }

  void GoTo(Fiber* fiber) {
    fiber_ = fiber;
    tensorwright_switch_fiber(&scheduler_, fiber->stack_pointer);
  }
  void LeaveFiber() {
    Fiber* const fiber = fiber_;
    tensorwright_switch_fiber(&fiber->stack_pointer, scheduler_);
  }

  Fiber* IdleFiber() {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>());
      fibers_.back()->Prepare(&FiberMain);
      return fibers_.back().get();
    }
    Fiber* const fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }

  Status RunBlock(const std::string& kernel);
  bool ReleaseBlock();
  bool ReleaseWarp(int first);
  Status Stuck(const std::string& kernel) const;

  Place place_;
  const std::function<void()>* body_ = nullptr;
  std::vector<int> order_;
  size_t next_ = 0;  // Of order_: threads from here on are new.
  std::vector<Thread> threads_;
  int running_ = 0;
  Fiber* fiber_ = nullptr;
  void* scheduler_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::unordered_map<const void*, std::unique_ptr<unsigned char[]>> shared_;
  std::unique_ptr<unsigned char[]> dynamic_;
};

// Forward, backward, shuffled, by the number of the launch.
void Arrange(unsigned launch, std::vector<int>* order) {
  for (size_t i = 0; i < order->size(); ++i) (*order)[i] = i;
  if (launch % 3 == 1) std::reverse(order->begin(), order->end());
  if (launch % 3 == 2) {
    std::shuffle(order->begin(), order->end(), std::minstd_rand(launch));
  }
}

Status Runner::Run(const std::string& kernel, dim3 blocks, dim3 threads,
                   size_t shared_bytes, const std::function<void()>& body) {
  static std::atomic<unsigned> launches{0};
  const unsigned launch = launches.fetch_add(1);
  const uint64_t size = uint64_t{threads.x} * threads.y * threads.z;
  if (size == 0 || size > kMostThreads) {
    return errors::Internal(kernel, ": a block must have 1 to ", kMostThreads,
                            " threads, got ", size);
  }
  body_ = &body;
  place_.blocks = blocks;
  place_.threads = threads;
  order_.resize(size);
  std::vector<int> places(uint64_t{blocks.x} * blocks.y * blocks.z);
  Arrange(launch, &places);
  for (const unsigned place : places) {
    place_.block = dim3(place % blocks.x, place / blocks.x % blocks.y,
                        place / blocks.x / blocks.y);
    Arrange(launch, &order_);
    dynamic_ = Garbage(shared_bytes);
    shared_.clear();
    TF_RETURN_IF_ERROR(RunBlock(kernel));
  }
  return OkStatus();
}

Status Runner::RunBlock(const std::string& kernel) {
  threads_.assign(order_.size(), Thread());
  next_ = 0;
  while (next_ < order_.size()) GoTo(IdleFiber());
  for (;;) {
    // All threads wait or have returned.
    bool any = ReleaseBlock();
    for (size_t t = 0; t < threads_.size(); t += kWarpThreads) {
      while (ReleaseWarp(static_cast<int>(t))) any = true;
    }
    if (!any) break;
    for (const int thread : order_) {
      if (threads_[thread].state != State::kRunning) continue;
      Fiber* const fiber = threads_[thread].fiber;
      Enter(thread);
      GoTo(fiber);
    }
  }
  for (const Thread& thread : threads_) {
    if (thread.state != State::kReturned) return Stuck(kernel);
  }
  return OkStatus();
}

// Lets all threads go on if they have met.
bool Runner::ReleaseBlock() {
  uint64_t count = 0;
  for (const Thread& thread : threads_) {
    if (thread.state != State::kAtBlock ||
        thread.meeting != threads_[0].meeting) {
      return false;
    }
    count += thread.value;
  }
  for (Thread& thread : threads_) {
    thread.state = State::kRunning;
    thread.value = count;
  }
  return true;
}

// Lets the lanes of one mask go on if they have met; `first` is the warp's
// first thread.
bool Runner::ReleaseWarp(int first) {
  const int size = std::min<int>(kWarpThreads, threads_.size() - first);
  Thread* const warp = threads_.data() + first;
  const unsigned existing = size == kWarpThreads ? ~0u : (1u << size) - 1;
  for (int lane = 0; lane < size; ++lane) {
    const Thread& one = warp[lane];
    if (one.state != State::kAtWarp) continue;
    const unsigned mask = one.mask & existing;
    bool complete = (mask >> lane & 1) != 0;
    uint64_t ballot = 0, values[kWarpThreads] = {};
    for (int i = 0; i < size && complete; ++i) {
      if ((mask >> i & 1) == 0) continue;
      complete = warp[i].state == State::kAtWarp &&
                 (warp[i].mask & existing) == mask &&
                 warp[i].meeting == one.meeting;
      ballot |= uint64_t{warp[i].value != 0} << i;
      values[i] = warp[i].value;
    }
    if (!complete) continue;
    const Meeting meeting = one.meeting;
    for (int i = 0; i < size; ++i) {
      if ((mask >> i & 1) == 0) continue;
      warp[i].state = State::kRunning;
      const int source = warp[i].source;
      const bool known = source < size && (mask >> source & 1) != 0;
      warp[i].value = meeting == Meeting::kBallot ? ballot
                      : known                     ? values[source]
                                                  : 0xa5a5a5a5a5a5a5a5u;
    }
    return true;
  }
  return false;
}

Status Runner::Stuck(const std::string& kernel) const {
  int at_block = 0, at_warp = 0, returned = 0;
  for (const Thread& thread : threads_) {
    at_block += thread.state == State::kAtBlock;
    at_warp += thread.state == State::kAtWarp;
    returned += thread.state == State::kReturned;
  }
  return errors::Internal(
      kernel, ": the threads of block (", place_.block.x, ", ", place_.block.y,
      ", ", place_.block.z, ") wait for each other: of ", threads_.size(), ", ",
      at_block, " are at a barrier of the block, ", at_warp,
      " at one of their warp, ", returned, " have returned");
}

}  // namespace

const Place& Here() { return Runner::OfThread().place(); }
int Lane() { return Runner::OfThread().lane(); }

uint64_t MeetBlock(Meeting meeting, uint64_t value) {
  return Runner::OfThread().Wait(State::kAtBlock, meeting, 0, value, 0);
}

uint64_t MeetWarp(Meeting meeting, unsigned mask, uint64_t value, int source) {
  return Runner::OfThread().Wait(State::kAtWarp, meeting, mask, value, source);
}

void* SharedVariable(const void* key, size_t bytes) {
  return Runner::OfThread().Shared(key, bytes);
}
void* DynamicSharedMemory() { return Runner::OfThread().Dynamic(); }

Status RunBlocks(const std::string& kernel, dim3 blocks, dim3 threads,
                 size_t shared_bytes, const std::function<void()>& body) {
  Runner& runner = Runner::OfThread();
  const Status status = runner.Run(kernel, blocks, threads, shared_bytes, body);
  if (!status.ok()) runner.DropFibers();
  return status;
}

}  // namespace emulation
}  // namespace gpu
}  // namespace tensorwright
