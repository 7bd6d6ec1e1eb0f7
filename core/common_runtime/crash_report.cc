// SPDX-License-Identifier: Apache-2.0
// The work of each thread, and the handler that reports it.
#include "core/common_runtime/crash_report.h"

#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>

// core/lib/core/threadpool.cc defines them.  They are declared here because
// whatever stands in a header of that layer is compiled into the precompiled
// headers of all kernels.
extern "C" {
// A value that the calling thread alone has.
const void* TensorwrightThreadToken();
// The token of the thread whose loop the calling thread has a part of; null if
// it has none.
const void* TensorwrightLoopOwner();
}

namespace tensorwright {
namespace crash {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
constexpr int kNumSignals = sizeof(kSignals) / sizeof(kSignals[0]);
constexpr const char* kNames[] = {"SIGSEGV", "SIGBUS",  "SIGFPE",
                                  "SIGILL",  "SIGABRT", "SIGSYS"};

// The handler reads one frame of a program's memory map at a time, and Python's
// code objects.
constexpr size_t kStackBytes = 128 << 10;
constexpr int kMaxThreads = 4096;
constexpr int kMaxDepth = 8;
// Frames of the stack that are looked at, and those of a library that are
// written: the first may be of a header.
constexpr int kMaxFrames = 64;
constexpr int kMaxCallers = 4;

}  // namespace

// The thread-local variables have a storage model (initial-exec) whose first
// use in a thread, which may be in the handler, takes no memory.  The linker
// (gold) mistakes such variables for each other unless they have names that
// other files may use.
namespace internal {

// The part of a thread's state that a handler may read.  Records are never
// freed, since a handler may read one at any time; the next thread takes over
// that of one that ended.
struct ThreadRecord {
  std::atomic<const Work*> work{nullptr};
  std::atomic<pid_t> id{0};
  std::atomic<const void*> token{nullptr};
  std::atomic<bool> taken{true};
  ThreadRecord* next = nullptr;
};

__attribute__((tls_model(
    "initial-exec"))) thread_local ThreadRecord* thread_record = nullptr;
__attribute__((
    tls_model("initial-exec"))) thread_local bool thread_has_reported = false;
}  // namespace internal

namespace {

using internal::thread_has_reported;
using internal::thread_record;
using internal::ThreadRecord;

std::atomic<ThreadRecord*> all_records{nullptr};

pid_t ThreadId() { return static_cast<pid_t>(syscall(SYS_gettid)); }

// A stack for handlers: a kernel that calls itself without end leaves no room
// on its own.
void* AddHandlerStack() {
  stack_t old;
  if (sigaltstack(nullptr, &old) != 0 || !(old.ss_flags & SS_DISABLE)) {
    return nullptr;
  }
  void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kStackBytes;
  if (sigaltstack(&stack, nullptr) == 0) return memory;
  munmap(memory, kStackBytes);
  return nullptr;
}

// Gives a thread's record and stack back when the thread ends.
struct ThreadEnd {
  void* stack = nullptr;
  ~ThreadEnd() {
    stack_t now;
    if (stack != nullptr && sigaltstack(nullptr, &now) == 0 &&
        now.ss_sp == stack) {
      stack_t none = {};
      none.ss_flags = SS_DISABLE;
      if (sigaltstack(&none, nullptr) == 0) munmap(stack, kStackBytes);
    }
    ThreadRecord* const record = thread_record;
    thread_record = nullptr;
    record->id.store(0, std::memory_order_relaxed);
    record->token.store(nullptr, std::memory_order_relaxed);
    record->work.store(nullptr, std::memory_order_relaxed);
    record->taken.store(false, std::memory_order_release);
  }
};

[[gnu::noinline]] ThreadRecord* AddRecord() {
  ThreadRecord* record = all_records.load(std::memory_order_acquire);
  for (; record != nullptr; record = record->next) {
    bool taken = false;
    if (record->taken.compare_exchange_strong(taken, true)) break;
  }
  if (record == nullptr) {
    record = new ThreadRecord;
    record->next = all_records.load(std::memory_order_relaxed);
    while (!all_records.compare_exchange_weak(record->next, record,
                                              std::memory_order_release)) {
    }
  }
  record->id.store(ThreadId(), std::memory_order_relaxed);
  record->token.store(TensorwrightThreadToken(), std::memory_order_relaxed);
  thread_record = record;
  static thread_local ThreadEnd end;
  end.stack = AddHandlerStack();
  return record;
}

inline ThreadRecord* Record() {
  return thread_record != nullptr ? thread_record : AddRecord();
}

// The work of this thread, or that of the thread whose loop it has a part of.
const Work* CurrentWork() {
  if (thread_record != nullptr) {
    const Work* const own = thread_record->work.load(std::memory_order_relaxed);
    if (own != nullptr) return own;
  }
  const void* const owner = TensorwrightLoopOwner();
  if (owner == nullptr) return nullptr;
  ThreadRecord* record = all_records.load(std::memory_order_acquire);
  for (int i = 0; record != nullptr && i < kMaxThreads; ++i) {
    if (record->token.load(std::memory_order_relaxed) == owner) {
      return record->work.load(std::memory_order_relaxed);
    }
    record = record->next;
  }
  return nullptr;
}

// ---- The report.

struct sigaction before[kNumSignals];
std::terminate_handler terminate_before = nullptr;

// The thread that writes a report; 0: none does.
std::atomic<pid_t> reporter{0};
// Set while it reads what may be broken.
volatile sig_atomic_t guarded = 0;
sigjmp_buf guard;

// Calls read(); if that ends in a fault, says so and returns.
template <typename Read>
void Guarded(const Read& read, Writer* out) {
  if (sigsetjmp(guard, 1) == 0) {
    guarded = 1;
    read();
    guarded = 0;
  } else {
    guarded = 0;
    *out << "\n    (the rest cannot be read)\n";
  }
}

void Describe(const Work* work, Writer* out) {
  Guarded(
      [&] {
        for (int depth = 0; work != nullptr && depth < kMaxDepth; ++depth) {
          if (depth > 0) *out << "  called by\n";
          work->describe(work->object, out);
          work = work->outer;
        }
      },
      out);
}

// The work of the others, for a thread that has none: a kernel may have started
// it.  Returns false, with nothing written, if there is none.
bool DescribeOthers(const char* what, Writer* out) {
  bool any = false;
  int count = 0;
  for (ThreadRecord* r = all_records.load(std::memory_order_acquire);
       r != nullptr && ++count < kMaxThreads; r = r->next) {
    const Work* const work = r->work.load(std::memory_order_relaxed);
    const pid_t id = r->id.load(std::memory_order_relaxed);
    // A forked child has the records of its parent's threads.
    if (r == thread_record || work == nullptr || id == 0 ||
        syscall(SYS_tgkill, getpid(), id, 0) != 0) {
      continue;
    }
    if (!any) {
      *out << "\n*** tensorwright: " << what
           << " in a thread that runs no kernel.  Other threads run:\n";
    } else {
      *out << "  and\n";
    }
    any = true;
    Describe(work, out);
  }
  return any;
}

// The place of a fault; empty if its signal does not tell.
struct Fault {
  bool has_address = false;
  const void* address = nullptr;      // That the instruction wanted.
  const void* instruction = nullptr;  // Null: unknown.
  int system_call = -1;  // The number of one that a filter forbids; or none.
};

// Writes the innermost calls of this thread's stack that the library makes to
// others; nothing if the fault is in the library itself, or if that is the
// runtime's.  An assertion and a std::terminate end in the C library.
void WriteCallers(const Fault& fault, Writer* out) {
  const FileRange library = FileRangeOf(out->code());
  const auto here = reinterpret_cast<const void*>(&CurrentWork);
  if (library.Has(fault.instruction) || library.Has(here)) return;
  void* frames[kMaxFrames];
  const int n = backtrace(frames, kMaxFrames);
  for (int i = 0, written = 0; i < n && written < kMaxCallers; ++i) {
    if (!library.Has(frames[i])) continue;
    // The call stands before the place that it returns to.
    *out << "    called at  ";
    WriteFileAt(static_cast<const char*>(frames[i]) - 1, true, out);
    *out << "\n";
    ++written;
  }
}

void Report(const char* what, const Fault& fault) {
  Writer out(STDERR_FILENO);
  const Work* const work = CurrentWork();
  if (work != nullptr) {
    out << "\n*** tensorwright: " << what << " in this kernel:\n";
    Describe(work, &out);
  } else if (!DescribeOthers(what, &out)) {
    return;
  }
  if (fault.has_address) {
    out << "    address    ";
    out.Hex(reinterpret_cast<uint64_t>(fault.address)) << "\n";
  }
  if (fault.system_call >= 0) {
    out << "    system call " << int64_t{fault.system_call} << "\n";
  }
  if (fault.instruction != nullptr) {
    Guarded(
        [&] {
          out << "    stopped at ";
          if (!WriteFileAt(fault.instruction, true, &out)) {
            out.Hex(reinterpret_cast<uint64_t>(fault.instruction))
                << ", which is no code";
          }
          out << "\n";
        },
        &out);
  }
  if (out.code() != nullptr) {
    Guarded([&] { WriteCallers(fault, &out); }, &out);
  }
  out << "(TENSORWRIGHT_CRASH_REPORT=0 leaves this report out.)\n";
}

void Sleep() {
  const timespec moment = {0, 10'000'000};
  nanosleep(&moment, nullptr);
}

// Reports, once a thread.  Of several threads each waits until the one before
// it has written its report, since the first that goes on ends the process.
void ReportOnce(const char* what, const Fault& fault) {
  const pid_t me = ThreadId();
  constexpr int kMaxWaits = 500;
  for (int waits = 0; waits < kMaxWaits; ++waits) {
    pid_t nobody = 0;
    if (reporter.compare_exchange_strong(nobody, me)) break;
    if (nobody == me) return;  // A fault of the report itself.
    Sleep();
  }
  if (reporter.load() != me) return;
  if (!thread_has_reported) {
    thread_has_reported = true;
    Report(what, fault);
  }
  reporter.store(0);
}

const void* InstructionOf(void* context) {
#ifdef __x86_64__
  return reinterpret_cast<const void*>(
      static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(
      static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

void Handle(int signal_number, siginfo_t* info, void* context) {
  if (guarded && reporter.load() == ThreadId()) siglongjmp(guard, 1);
  const int error = errno;
  const int i = static_cast<int>(
      std::find(kSignals, kSignals + kNumSignals, signal_number) - kSignals);
  Fault fault;
  // The place of abort() tells nothing, nor does a signal that was sent.
  if (signal_number != SIGABRT && info->si_code > 0) {
    fault.has_address = signal_number == SIGSEGV || signal_number == SIGBUS;
    fault.address = info->si_addr;
    fault.instruction = InstructionOf(context);
    constexpr int kFromFilter = 1;  // SYS_SECCOMP
    if (signal_number == SIGSYS && info->si_code == kFromFilter) {
      fault.system_call = info->si_syscall;
    }
  }
  ReportOnce(kNames[i], fault);
  // The signal comes again, with all that is known of it, as soon as this
  // handler has returned to the place where it came; what was there before us
  // gets it.
  sigaction(signal_number, &before[i], nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), ThreadId(), signal_number,
              info) != 0) {
    syscall(SYS_tgkill, getpid(), ThreadId(), signal_number);
  }
  errno = error;
}

// An exception that nobody catches, or one more while another is under way.
[[noreturn]] void Terminate() {
  // The text is read here: the handler of SIGABRT, which comes next, may not.
  char what[600] = "an exception that nobody caught";
  try {
    if (std::current_exception() != nullptr) throw;
    std::strcpy(what, "a call of std::terminate");
  } catch (const std::exception& e) {
    constexpr size_t kLimit = 500;
    std::strcat(what, ", \"");
    std::strncat(what, e.what(), kLimit);
    std::strcat(what, "\",");
  } catch (...) {
  }
  ReportOnce(what, Fault());
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

}  // namespace

WorkScope::WorkScope(Work::Describe describe, const void* object)
    : work_{describe, object, nullptr} {
  ThreadRecord* const record = Record();
  work_.outer = record->work.load(std::memory_order_relaxed);
  // A handler of this thread finds `work_` complete.
  std::atomic_signal_fence(std::memory_order_release);
  record->work.store(&work_, std::memory_order_relaxed);
}

WorkScope::~WorkScope() {
  thread_record->work.store(work_.outer, std::memory_order_relaxed);
}

void InstallCrashReport() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* const wish = std::getenv("TENSORWRIGHT_CRASH_REPORT");
    if (wish != nullptr && std::strcmp(wish, "0") == 0) return;
    // Its first call loads a library, which the handler may not.
    void* frame;
    backtrace(&frame, 1);
    terminate_before = std::set_terminate(&Terminate);
    for (int i = 0; i < kNumSignals; ++i) {
      struct sigaction ours = {};
      ours.sa_sigaction = &Handle;
      // A fault of the report itself must come through.
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigemptyset(&ours.sa_mask);
      // The handler may run as soon as it is there.
      sigaction(kSignals[i], nullptr, &before[i]);
      // A sandbox of the program's own may answer system calls so.
      if (kSignals[i] == SIGSYS && before[i].sa_handler != SIG_DFL) continue;
      sigaction(kSignals[i], &ours, nullptr);
    }
  });
}

}  // namespace crash
}  // namespace tensorwright
