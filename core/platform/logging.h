// SPDX-License-Identifier: Apache-2.0
// LOG, VLOG and CHECK.
#ifndef TENSORWRIGHT_CORE_PLATFORM_LOGGING_H_
#define TENSORWRIGHT_CORE_PLATFORM_LOGGING_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

// LOG(INFO) << ...; writes a line to stderr; LOG(FATAL) ends the process.
// Severities below the number in the environment variable TF_CPP_MIN_LOG_LEVEL
// (default 0: none) are dropped. VLOG(2) << ... writes if
// TF_CPP_MIN_VLOG_LEVEL is at least 2. CHECK(cond) << ... ends the process if
// cond is false: for our own bugs, never for bad input.

namespace tensorwright {

inline constexpr int INFO = 0;
inline constexpr int WARNING = 1;
inline constexpr int ERROR = 2;
inline constexpr int FATAL = 3;
inline constexpr int NUM_SEVERITIES = 4;

namespace internal {

// Collects one message and writes it at the end of the statement.
class LogMessage : public std::basic_ostringstream<char> {
 public:
  LogMessage(const char* file, int line, int severity);
  ~LogMessage() override;

  static int MinLogLevel();
  static int MaxVLogLevel();

 protected:
  void GenerateLogMessage();

 private:
  const char* file_;
  int line_;
  int severity_;
};

class LogMessageFatal final : public LogMessage {
 public:
  LogMessageFatal(const char* file, int line) : LogMessage(file, line, FATAL) {}
  [[noreturn]] ~LogMessageFatal() override;
};

// Has the time `next`, in nanoseconds, come?  Then it is put off by so many
// seconds.
bool IsLogDue(std::atomic<int64_t>* next, double seconds);

inline bool IsPowerOfTwo(uint64_t n) { return (n & (n - 1)) == 0; }

// Gives both branches of LOG's conditional the type void.
struct Voidifier {
  template <typename T>
  void operator&(const T&) const {}
};

// `a op b`; integers of different signedness compare by value, without the
// compiler's warning.
template <typename Op, typename A, typename B>
bool Holds(const A& a, const B& b) {
  if constexpr (std::is_integral<A>::value && std::is_integral<B>::value &&
                std::is_signed<A>::value != std::is_signed<B>::value) {
    if (std::is_signed<A>::value && a < A{0}) return Op()(-1, 0);
    if (std::is_signed<B>::value && b < B{0}) return Op()(0, -1);
    return Op()(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
  } else {
    return Op()(a, b);
  }
}

// std::equal_to<> and so on, which C++11 lacks: build files of custom ops ask
// for it.  A macro, because of the operators.
#define TENSORWRIGHT_COMPARATOR(Name, op)           \
  struct Name {                                     \
    template <typename A, typename B>               \
    bool operator()(const A& a, const B& b) const { \
      return a op b;                                \
    }                                               \
  };
TENSORWRIGHT_COMPARATOR(Equal, ==)
TENSORWRIGHT_COMPARATOR(NotEqual, !=)
TENSORWRIGHT_COMPARATOR(LessEqual, <=)
TENSORWRIGHT_COMPARATOR(Less, <)
TENSORWRIGHT_COMPARATOR(GreaterEqual, >=)
TENSORWRIGHT_COMPARATOR(Greater, >)
#undef TENSORWRIGHT_COMPARATOR

// Null if `a op b` holds, else "a == b (1 vs. 2)".
template <typename Op, typename A, typename B>
std::unique_ptr<std::string> FailedCheck(const A& a, const B& b,
                                         const char* expression) {
  if (Holds<Op>(a, b)) [[likely]]
    return nullptr;
  std::ostringstream os;
  os << expression << " (" << a << " vs. " << b << ")";
  return std::make_unique<std::string>(os.str());
}

template <typename T>
T&& CheckNotNull(const char* file, int line, const char* expression, T&& t) {
  if (t == nullptr) LogMessageFatal(file, line) << expression;
  return std::forward<T>(t);
}

}  // namespace internal
}  // namespace tensorwright

#define TENSORWRIGHT_LOG_INFO \
  ::tensorwright::internal::LogMessage(__FILE__, __LINE__, 0)
#define TENSORWRIGHT_LOG_WARNING \
  ::tensorwright::internal::LogMessage(__FILE__, __LINE__, 1)
#define TENSORWRIGHT_LOG_ERROR \
  ::tensorwright::internal::LogMessage(__FILE__, __LINE__, 2)
#define TENSORWRIGHT_LOG_FATAL \
  ::tensorwright::internal::LogMessageFatal(__FILE__, __LINE__)
#define TENSORWRIGHT_LOG_QFATAL TENSORWRIGHT_LOG_FATAL
#ifdef NDEBUG
#define TENSORWRIGHT_LOG_DFATAL TENSORWRIGHT_LOG_ERROR
#else
#define TENSORWRIGHT_LOG_DFATAL TENSORWRIGHT_LOG_FATAL
#endif

#define LOG(severity) TENSORWRIGHT_LOG_##severity

#define VLOG_IS_ON(level) \
  ((level) <= ::tensorwright::internal::LogMessage::MaxVLogLevel())
#define VLOG(level)  \
  !VLOG_IS_ON(level) \
      ? (void)0      \
      : ::tensorwright::internal::Voidifier() & TENSORWRIGHT_LOG_INFO
#define DVLOG(level) VLOG(level)
#ifdef NDEBUG
#define DLOG(severity) LOG_IF(severity, false)
#else
#define DLOG(severity) LOG(severity)
#endif

// Logs if `condition` holds.
#define LOG_IF(severity, condition) \
  !(condition) ? (void)0 : ::tensorwright::internal::Voidifier() & LOG(severity)

// The number of times that the place was reached before.  A lambda, so that
// each place has its own.
#define TENSORWRIGHT_LOG_COUNT                    \
  ([]() {                                         \
    static ::std::atomic<uint64_t> log_count_{0}; \
    return log_count_.fetch_add(1);               \
  }())
// Log the first time and every n-th time after it; the 1st, 2nd, 4th, 8th ...
// time; when the last time was more than that many seconds ago.
#define LOG_EVERY_N(severity, n) \
  LOG_IF(severity, TENSORWRIGHT_LOG_COUNT % (n) == 0)
#define LOG_EVERY_POW_2(severity) \
  LOG_IF(severity,                \
         ::tensorwright::internal::IsPowerOfTwo(TENSORWRIGHT_LOG_COUNT + 1))
#define LOG_EVERY_N_SEC(severity, seconds)                          \
  LOG_IF(severity, ([](double log_seconds_) {                       \
           static ::std::atomic<int64_t> log_next_{0};              \
           return ::tensorwright::internal::IsLogDue(&log_next_,    \
                                                     log_seconds_); \
         }(seconds)))
#define LOG_FIRST_N(severity, n)                                  \
  for (static ::std::atomic<int> log_count_{0};                   \
       log_count_.load() < (n) && log_count_.fetch_add(1) < (n);) \
  LOG(severity)

// `while`, not `if`: no dangling else, and the body never returns.
#define CHECK(condition) \
  while (!(condition))   \
  [[unlikely]] TENSORWRIGHT_LOG_FATAL << "Check failed: " #condition " "

#define TENSORWRIGHT_CHECK_OP(Op, op, a, b)                                 \
  while (std::unique_ptr<std::string> failed_check_ =                       \
             ::tensorwright::internal::FailedCheck<Op>((a), (b),            \
                                                       #a " " #op " " #b))  \
  [[unlikely]] TENSORWRIGHT_LOG_FATAL << "Check failed: " << *failed_check_ \
                                      << " "

#define CHECK_EQ(a, b) \
  TENSORWRIGHT_CHECK_OP(::tensorwright::internal::Equal, ==, a, b)
#define CHECK_NE(a, b) \
  TENSORWRIGHT_CHECK_OP(::tensorwright::internal::NotEqual, !=, a, b)
#define CHECK_LE(a, b) \
  TENSORWRIGHT_CHECK_OP(::tensorwright::internal::LessEqual, <=, a, b)
#define CHECK_LT(a, b) \
  TENSORWRIGHT_CHECK_OP(::tensorwright::internal::Less, <, a, b)
#define CHECK_GE(a, b) \
  TENSORWRIGHT_CHECK_OP(::tensorwright::internal::GreaterEqual, >=, a, b)
#define CHECK_GT(a, b) \
  TENSORWRIGHT_CHECK_OP(::tensorwright::internal::Greater, >, a, b)
#define CHECK_NOTNULL(value)              \
  ::tensorwright::internal::CheckNotNull( \
      __FILE__, __LINE__, "'" #value "' must not be null", (value))

#define QCHECK(condition) CHECK(condition)
#define QCHECK_EQ(a, b) CHECK_EQ(a, b)
#define QCHECK_NE(a, b) CHECK_NE(a, b)
#define QCHECK_LE(a, b) CHECK_LE(a, b)
#define QCHECK_LT(a, b) CHECK_LT(a, b)
#define QCHECK_GE(a, b) CHECK_GE(a, b)
#define QCHECK_GT(a, b) CHECK_GT(a, b)

#ifndef NDEBUG
#define DCHECK(condition) CHECK(condition)
#define DCHECK_EQ(a, b) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) CHECK_NE(a, b)
#define DCHECK_LE(a, b) CHECK_LE(a, b)
#define DCHECK_LT(a, b) CHECK_LT(a, b)
#define DCHECK_GE(a, b) CHECK_GE(a, b)
#define DCHECK_GT(a, b) CHECK_GT(a, b)
#else
#define DCHECK(condition) \
  while (false && (condition)) TENSORWRIGHT_LOG_FATAL
#define TENSORWRIGHT_NO_CHECK(a, b) \
  while (false && ((void)(a), (void)(b), false)) TENSORWRIGHT_LOG_FATAL
#define DCHECK_EQ(a, b) TENSORWRIGHT_NO_CHECK(a, b)
#define DCHECK_NE(a, b) TENSORWRIGHT_NO_CHECK(a, b)
#define DCHECK_LE(a, b) TENSORWRIGHT_NO_CHECK(a, b)
#define DCHECK_LT(a, b) TENSORWRIGHT_NO_CHECK(a, b)
#define DCHECK_GE(a, b) TENSORWRIGHT_NO_CHECK(a, b)
#define DCHECK_GT(a, b) TENSORWRIGHT_NO_CHECK(a, b)
#endif

#endif  // TENSORWRIGHT_CORE_PLATFORM_LOGGING_H_
