// SPDX-License-Identifier: Apache-2.0
// CatchExceptions: calls other people's code.  Ours throws WrongUse,
// OutOfMemory and, where the system has no thread to give, std::system_error; a
// user's kernel or shape function may call code that throws anything.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_CATCH_EXCEPTIONS_H_
#define TENSORWRIGHT_CORE_LIB_CORE_CATCH_EXCEPTIONS_H_

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// A tensor throws this when it is asked for a view that it does not have: of
// another dtype, or another number of dimensions.  That is a bug of the kernel
// or shape function that asked, which cannot go on; since it is not our bug, it
// ends the run with an error, and not the process.
class WrongUse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// A tensor's constructor throws this where there is no memory for it.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  const std::string text_;
};

// Does work().  An exception becomes an Internal error that says that who()
// threw it, or ResourceExhausted for a lack of memory or of threads.  Calls
// who() only then, since making a name costs more than a cheap kernel.
template <typename Work, typename Who>
Status CatchExceptions(Work&& work, const Who& who) {
  try {
    work();
    return OkStatus();
  } catch (const OutOfMemory& e) {
    return errors::ResourceExhausted(who(), " ran out of memory: ", e.what());
  } catch (const std::bad_alloc&) {
    return errors::ResourceExhausted(who(), " ran out of memory");
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again) {
      return errors::ResourceExhausted(who(), " got no thread: ", e.what());
    }
    return errors::Internal(who(), " threw an exception: ", e.what());
  } catch (const WrongUse& e) {
    return errors::Internal(who(), " is wrong: ", e.what());
  } catch (const std::exception& e) {
    return errors::Internal(who(), " threw an exception: ", e.what());
  } catch (...) {
    return errors::Internal(who(), " threw an exception");
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_CATCH_EXCEPTIONS_H_
