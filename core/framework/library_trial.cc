// SPDX-License-Identifier: Apache-2.0
// TryLibrary.
#include "core/framework/library_trial.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/base/const_init.h"
#include "absl/strings/ascii.h"
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

// An error shows so many bytes of the end of what a library prints.
constexpr size_t kMaxPrinted = 400;

// The child writes the first of these when only the file in question is left to
// load, then one of the others: the third followed by the exception's text, the
// last if an initializer is about to end the process.
constexpr char kBegun = 'b';
constexpr char kLoaded = 'l';
constexpr char kThrew = 't';
constexpr char kEnds = 'e';

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

// Is the calling function called by a static initializer?  Initializers are
// called by the loader; if it fails by itself, its own function or one of the C
// library is the innermost.
bool IsInInitializer() {
  const auto base_of = [](const void* code) -> const void* {
    Dl_info info;
    return dladdr(code, &info) == 0 ? nullptr : info.dli_fbase;
  };
  const auto* loader = reinterpret_cast<const void*>(getauxval(AT_BASE));
  const void* const libc = base_of(reinterpret_cast<const void*>(&abort));
  const void* const own =
      base_of(reinterpret_cast<const void*>(&TensorwrightTryLibraries));
  constexpr int kMaxFrames = 200;
  void* frames[kMaxFrames];
  const int n = backtrace(frames, kMaxFrames);
  bool others = false;
  for (int i = 0; i < n; ++i) {
    const void* const base = base_of(frames[i]);
    if (base == loader) return others;
    others |= base != nullptr && base != libc && base != own;
  }
  return false;
}

int answers = -1;

void TellWhoEnds() {
  if (IsInInitializer()) Write(answers, absl::string_view(&kEnds, 1));
}

void TellAndEnd(int signal_number) {
  TellWhoEnds();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

[[noreturn]] void RunChild(int out, const std::string& file,
                           const std::vector<std::string>& before) {
  // Nobody looks at the registrations.
  StagedRegistrations staged;
  // The initializers will print again when the library is loaded in earnest, so
  // their output is dropped here, and errors go to who tells of them.
  if (const int null = open("/dev/null", O_RDWR); null >= 0) {
    for (int fd : {0, 1}) dup2(null, fd);
  }
  for (const std::string& one : before) Open(one);
  answers = out;
  // The first call loads libgcc.
  IsInInitializer();
  Write(out, absl::string_view(&kBegun, 1));
  // A crash is an answer; the program's own handlers must not see it.
  for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    signal(signal_number, &TellAndEnd);
  }
  std::atexit(&TellWhoEnds);
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

// Starts the program of SetTrialProgram with `out` and `err` as its standard
// output and error; its process, or -1 if there is none.  Unlike fork it runs
// no fork handlers.
pid_t StartProgram(int out, int err, const std::string& file,
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
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

// Reads all that the child writes until it ends, of its errors the end; false
// if it does not end.
bool ReadAll(int in, int in_errors, std::string* answer, std::string* errors) {
  char buffer[4096];
  pollfd ready[] = {{in, POLLIN, 0}, {in_errors, POLLIN, 0}};
  // A process that it has started may keep its errors open.
  while (ready[0].fd >= 0) {
    const int n = poll(ready, 2, kMaxWaitMillis);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    for (pollfd& one : ready) {
      if (one.revents == 0) continue;
      const ssize_t bytes = read(one.fd, buffer, sizeof buffer);
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) {
        one.fd = -1;
        continue;
      }
      (&one == &ready[0] ? answer : errors)->append(buffer, bytes);
    }
    if (errors->size() > kMaxPrinted) {
      errors->erase(0, errors->size() - kMaxPrinted);
    }
  }
  // The last that it printed has come already.
  if (ready[1].fd >= 0 && poll(&ready[1], 1, 0) > 0) {
    const ssize_t bytes = read(in_errors, buffer, sizeof buffer);
    if (bytes > 0) errors->append(buffer, bytes);
  }
  return true;
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
  return absl::StrCat("ends the process with status ", WEXITSTATUS(status));
}

// Quotes what the library printed, for an error; empty if that was nothing.
std::string Printed(absl::string_view errors) {
  errors = absl::StripAsciiWhitespace(errors);
  return errors.empty() ? "" : absl::StrCat(", and prints \"", errors, "\"");
}

}  // namespace

void SetTrialProgram(std::vector<std::string> argv) {
  absl::MutexLock lock(&trial_program_lock);
  delete trial_program;
  trial_program = new std::vector<std::string>(std::move(argv));
}

Status TryLibrary(const std::string& file,
                  const std::vector<std::string>& before) {
  int ends[2], stderr_ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return OkStatus();
  if (pipe2(stderr_ends, O_CLOEXEC) != 0) {
    close(ends[0]);
    close(ends[1]);
    return OkStatus();
  }
  pid_t child = StartProgram(ends[1], stderr_ends[1], file, before);
  // The copy has one thread: a lock that another thread held stays locked in
  // it.  It has already loaded the libraries to be loaded before.
  if (child < 0 && (child = fork()) == 0) {
    close(ends[0]);
    dup2(stderr_ends[1], 2);
    RunChild(ends[1], file, {});
  }
  close(ends[1]);
  close(stderr_ends[1]);
  std::string answer, printed;
  const bool ended =
      child > 0 && ReadAll(ends[0], stderr_ends[0], &answer, &printed);
  close(ends[0]);
  close(stderr_ends[0]);
  if (child < 0) return OkStatus();
  if (!ended) kill(child, SIGKILL);
  const std::string how = HowItEnded(child);
  absl::string_view said = answer;
  // An interpreter that does not start tells nothing about the library.
  if (!ended || !absl::ConsumePrefix(&said, std::string(1, kBegun))) {
    return OkStatus();
  }
  if (!said.empty() && said[0] == kLoaded) return OkStatus();
  if (said.empty()) {
    return errors::InvalidArgument(file, ": loading it ", how, Printed(printed),
                                   "; so it is not loaded");
  }
  return errors::InvalidArgument(
      file, ": a static initializer of it",
      said[0] == kThrew ? std::string(said.substr(1))
                        : absl::StrCat(" ", how, Printed(printed)),
      "; nothing could go on after that, so it is not loaded: do it in the "
      "constructor of a kernel, where it is an error of the session");
}

}  // namespace tensorwright

void TensorwrightTryLibraries(const char* const* files, int n) {
  std::vector<std::string> before(files, files + n - 1);
  tensorwright::RunChild(dup(1), files[n - 1], before);
}
