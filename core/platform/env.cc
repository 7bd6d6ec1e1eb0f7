// SPDX-License-Identifier: Apache-2.0
// Env's time, threads and shared libraries, and the whole-file helpers.
#include "core/platform/env.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "core/lib/core/errors.h"
#include "core/platform/memory_limit.h"

// The libraries of the compiler's sanitizers have it.
extern "C" __attribute__((weak)) void __sanitizer_report_error_summary(
    const char* summary);

namespace tensorwright {
namespace {

// Starts a thread.  A system that has none to give is asked for a while, since
// other threads may be about to end; then std::system_error says so.
std::thread NewThread(std::function<void()> fn) {
  constexpr int kTries = 20;
  constexpr std::chrono::milliseconds kPause(5);
  // The thread alone has what the function holds.
  auto held = std::make_shared<std::function<void()>>(std::move(fn));
  for (int i = 1;; ++i) {
    try {
      return std::thread([held] { std::exchange(*held, nullptr)(); });
    } catch (const std::system_error& e) {
      if (e.code() != std::errc::resource_unavailable_try_again ||
          i == kTries) {
        throw;
      }
    }
    std::this_thread::sleep_for(i * kPause);
  }
}

class StdThread final : public Thread {
 public:
  StdThread(const std::string& name, std::function<void()> fn)
      : thread_(NewThread([name, fn = std::move(fn)] {
          // The kernel keeps 15 characters.
          pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
          fn();
        })) {}
  ~StdThread() override { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace

Env* Env::Default() {
  static Env* const env = new Env;
  return env;
}

uint64_t Env::NowNanos() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void Env::SleepForMicroseconds(int64_t us) {
  if (us > 0) std::this_thread::sleep_for(std::chrono::microseconds(us));
}

Thread* Env::StartThread(const ThreadOptions&, const std::string& name,
                         std::function<void()> fn) {
  return new StdThread(name, std::move(fn));
}

void Env::SchedClosure(std::function<void()> fn) {
  NewThread(std::move(fn)).detach();
}

void Env::SchedClosureAfter(int64_t us, std::function<void()> fn) {
  NewThread([this, us, fn = std::move(fn)] {
    SleepForMicroseconds(us);
    fn();
  }).detach();
}

int32_t Env::GetCurrentThreadId() {
  return static_cast<int32_t>(syscall(SYS_gettid));
}

bool Env::GetCurrentThreadName(std::string* name) {
  char buffer[64];
  if (pthread_getname_np(pthread_self(), buffer, sizeof buffer) != 0) {
    return false;
  }
  *name = buffer;
  return true;
}

Status Env::LoadLibrary(const char* path, void** handle) {
  // With the flag, a class of the library that happens to have the name of one
  // of ours stays its own.  It would bypass a sanitizer's own malloc.
  const int deep =
      __sanitizer_report_error_summary == nullptr ? RTLD_DEEPBIND : 0;
  *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | deep);
  if (*handle == nullptr) return errors::NotFound(dlerror());
  return OkStatus();
}

Status Env::GetSymbolFromLibrary(void* handle, const char* symbol,
                                 void** address) {
  *address = dlsym(handle, symbol);
  if (*address == nullptr) return errors::NotFound(dlerror());
  return OkStatus();
}

Status ReadFileToString(Env* env, const std::string& name, std::string* data) {
  std::unique_ptr<RandomAccessFile> file;
  TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &file));
  data->clear();
  // The size is only a hint: files in /proc have none.  A string that grows is
  // copied, and is then there twice.
  static const uint64_t most = static_cast<uint64_t>(port::MemoryLimit()) / 2;
  uint64_t size = 0;
  if (env->GetFileSize(name, &size).ok() && size <= most) data->reserve(size);
  std::string scratch(64 << 10, '\0');
  while (true) {
    absl::string_view piece;
    const Status s =
        file->Read(data->size(), scratch.size(), &piece, scratch.data());
    if (piece.size() > most - data->size()) {
      data->clear();
      return errors::ResourceExhausted(
          name, " has more than ", most,
          " bytes, half of the memory: too many for a string");
    }
    data->append(piece.data(), piece.size());
    if (errors::IsOutOfRange(s)) return OkStatus();
    TF_RETURN_IF_ERROR(s);
  }
}

Status WriteStringToFile(Env* env, const std::string& name,
                         absl::string_view data) {
  std::unique_ptr<WritableFile> file;
  TF_RETURN_IF_ERROR(env->NewWritableFile(name, &file));
  TF_RETURN_IF_ERROR(file->Append(data));
  return file->Close();
}

}  // namespace tensorwright
