// SPDX-License-Identifier: Apache-2.0
// TryLibrary.
#include "core/framework/library_trial.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The child has one thread: what another one had locked stays locked in it.
constexpr int kMaxWaitMillis = 10'000;

// The first byte that the child writes.
constexpr char kLoaded = 'l';
constexpr char kThrew = 't';  // Followed by what.

[[noreturn]] void RunChild(int out, const std::function<void()>& load) {
  // What initializers print they print again.
  if (const int null = open("/dev/null", O_RDWR); null >= 0) {
    for (int fd : {0, 1, 2}) dup2(null, fd);
  }
  // A crash is an answer, and no business of the program's own handlers.
  for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    signal(signal_number, SIG_DFL);
  }
  const Status thrown = CatchExceptions(load, [] { return ""; });
  const std::string answer =
      thrown.ok() ? std::string(1, kLoaded)
                  : absl::StrCat(std::string(1, kThrew), thrown.message());
  (void)!write(out, answer.data(), answer.size());
  _exit(0);
}

// What the child wrote until it ended; false if it does not end.
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

// How the child ended, where it did not say so itself.
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

Status TryLibrary(const std::string& file, const std::function<void()>& load) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return OkStatus();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    RunChild(ends[1], load);
  }
  close(ends[1]);
  std::string answer;
  const bool ended = child > 0 && ReadAll(ends[0], &answer);
  close(ends[0]);
  if (child < 0) return OkStatus();
  if (!ended) kill(child, SIGKILL);
  const std::string how = HowItEnded(child);
  if (!ended || (!answer.empty() && answer[0] == kLoaded)) return OkStatus();
  return errors::InvalidArgument(
      file, ": a static initializer of it",
      answer.empty() ? absl::StrCat(" ", how) : answer.substr(1),
      "; nothing could go on after that, so it is not loaded: do it in the "
      "constructor of a kernel, where it is an error of the session");
}

}  // namespace tensorwright
