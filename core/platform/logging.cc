// SPDX-License-Identifier: Apache-2.0
// Writes log messages to stderr.
#include "core/platform/logging.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace tensorwright {
namespace internal {
namespace {

int IntFromEnv(const char* name, int default_value) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? default_value : std::atoi(text);
}

}  // namespace

LogMessage::LogMessage(const char* file, int line, int severity)
    : file_(file), line_(line), severity_(severity) {}

LogMessage::~LogMessage() {
  if (severity_ >= MinLogLevel()) GenerateLogMessage();
}

void LogMessage::GenerateLogMessage() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  tm local;
  localtime_r(&now.tv_sec, &local);
  char when[32];
  std::strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
  // One call, so that lines of several threads do not mix.
  std::fprintf(stderr, "%s.%06ld: %c %s:%d] %s\n", when, now.tv_nsec / 1000,
               "IWEF"[std::clamp(severity_, 0, 3)], file_, line_,
               str().c_str());
}

int LogMessage::MinLogLevel() {
  static const int level = IntFromEnv("TF_CPP_MIN_LOG_LEVEL", INFO);
  return level;
}

int LogMessage::MaxVLogLevel() {
  static const int level = IntFromEnv("TF_CPP_MIN_VLOG_LEVEL", 0);
  return level;
}

bool IsLogDue(std::atomic<int64_t>* next, double seconds) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t nanos = now.tv_sec * 1'000'000'000 + now.tv_nsec;
  int64_t due = next->load();
  // If several threads come at once, one of them logs.
  return nanos >= due && next->compare_exchange_strong(
                             due, nanos + static_cast<int64_t>(seconds * 1e9));
}

LogMessageFatal::~LogMessageFatal() {
  GenerateLogMessage();
  std::abort();
}

}  // namespace internal
}  // namespace tensorwright
