// SPDX-License-Identifier: Apache-2.0
// TryLibrary.
#include "core/framework/library_trial.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/base/const_init.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/staged_registrations.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

constexpr int kMaxWaitMillis = 10'000;

// The child writes the first of these when only the file in question is left to
// load, then one of the others, the last followed by the exception's text.
constexpr char kBegun = 'b';
constexpr char kLoaded = 'l';
constexpr char kThrew = 't';

std::vector<std::string>* trial_program = nullptr;
absl::Mutex trial_program_lock(absl::kConstInit);

void Write(int out, absl::string_view text) {
  (void)!write(out, text.data(), text.size());
}

// If a file cannot be loaded, the caller of TryLibrary finds that out.
void Open(const std::string& file) {
  void* handle = nullptr;
  Env::Default()->LoadLibrary(file.c_str(), &handle).IgnoreError();
}

[[noreturn]] void RunChild(int out, const std::string& file,
                           const std::vector<std::string>& before) {
  // Nobody looks at the registrations.
  StagedRegistrations staged;
  // The initializers will print again when the library is loaded in earnest, so
  // their output is dropped here.
  if (const int null = open("/dev/null", O_RDWR); null >= 0) {
    for (int fd : {0, 1, 2}) dup2(null, fd);
  }
  // A crash is an answer; the program's own handlers must not see it.
  for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    signal(signal_number, SIG_DFL);
  }
  for (const std::string& one : before) Open(one);
  Write(out, absl::string_view(&kBegun, 1));
  const Status thrown = CatchExceptions([&] { Open(file); }, [] { return ""; });
  Write(out, thrown.ok()
                 ? std::string(1, kLoaded)
                 : absl::StrCat(std::string(1, kThrew), thrown.message()));
  _exit(0);
}

// The path of the shared library that has this function; empty if the program
// itself has it.
std::string PathOfThisLibrary() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&TensorwrightTryLibraries), &info) ==
          0 ||
      info.dli_fname == nullptr) {
    return "";
  }
  // dlopen can load it by that name.
  void* self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (self == nullptr) return "";
  dlclose(self);
  return info.dli_fname;
}

// Starts the program of SetTrialProgram with `out` as its standard output; its
// process, or -1 if there is none.  Unlike fork it runs no fork handlers.
pid_t StartProgram(int out, const std::string& file,
                   const std::vector<std::string>& before) {
  std::vector<std::string> words;
  {
    absl::MutexLock lock(&trial_program_lock);
    if (trial_program == nullptr) return -1;
    words = *trial_program;
  }
  words.push_back(PathOfThisLibrary());
  if (words.back().empty()) return -1;
  words.insert(words.end(), before.begin(), before.end());
  words.push_back(file);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

// Reads all that the child writes until it ends; false if it does not end.
bool ReadAll(int in, std::string* answer) {
  char buffer[4096];
  for (;;) {
    pollfd ready = {in, POLLIN, 0};
    const int n = poll(&ready, 1, kMaxWaitMillis);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    const ssize_t bytes = read(in, buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    answer->append(buffer, bytes);
  }
}

// Describes how the child ended, if it did not say so itself.
std::string HowItEnded(pid_t child) {
  int status = 0;
  pid_t reaped;
  do {
    reaped = waitpid(child, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped == child && WIFSIGNALED(status)) {
    return absl::StrCat("ends the process by signal ", WTERMSIG(status), " (",
                        strsignal(WTERMSIG(status)), ")");
  }
  return "ends the process";
}

}  // namespace

void SetTrialProgram(std::vector<std::string> argv) {
  absl::MutexLock lock(&trial_program_lock);
  delete trial_program;
  trial_program = new std::vector<std::string>(std::move(argv));
}

Status TryLibrary(const std::string& file,
                  const std::vector<std::string>& before) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return OkStatus();
  pid_t child = StartProgram(ends[1], file, before);
  // The copy has one thread: a lock that another thread held stays locked in
  // it.  It has already loaded the libraries to be loaded before.
  if (child < 0 && (child = fork()) == 0) {
    close(ends[0]);
    RunChild(ends[1], file, {});
  }
  close(ends[1]);
  std::string answer;
  const bool ended = child > 0 && ReadAll(ends[0], &answer);
  close(ends[0]);
  if (child < 0) return OkStatus();
  if (!ended) kill(child, SIGKILL);
  const std::string how = HowItEnded(child);
  absl::string_view said = answer;
  // An interpreter that does not start tells nothing about the library.
  if (!ended || !absl::ConsumePrefix(&said, std::string(1, kBegun))) {
    return OkStatus();
  }
  if (!said.empty() && said[0] == kLoaded) return OkStatus();
  return errors::InvalidArgument(
      file, ": a static initializer of it",
      said.empty() ? absl::StrCat(" ", how) : std::string(said.substr(1)),
      "; nothing could go on after that, so it is not loaded: do it in the "
      "constructor of a kernel, where it is an error of the session");
}

}  // namespace tensorwright

void TensorwrightTryLibraries(const char* const* files, int n) {
  std::vector<std::string> before(files, files + n - 1);
  tensorwright::RunChild(dup(1), files[n - 1], before);
}
