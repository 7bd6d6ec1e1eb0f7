// SPDX-License-Identifier: Apache-2.0
// CatchExceptions: where the code of others is called.  Nothing of ours throws
// but WrongUse; a user's kernel or shape function may call what does.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_CATCH_EXCEPTIONS_H_
#define TENSORWRIGHT_CORE_LIB_CORE_CATCH_EXCEPTIONS_H_

#include <exception>
#include <new>
#include <stdexcept>

#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// What a tensor throws of which a view is asked that it has not: another dtype,
// another number of dimensions.  That is a bug of the kernel or shape function
// that asked, and it cannot go on; but it is not ours, and it ends its run with
// an error, not the process.
class WrongUse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Does work(); what it throws becomes an Internal error that says that who()
// threw it, or ResourceExhausted for a lack of memory.  Only then is who()
// called: a name costs more than a cheap kernel.
template <typename Work, typename Who>
Status CatchExceptions(Work&& work, const Who& who) {
  try {
    work();
    return OkStatus();
  } catch (const std::bad_alloc&) {
    return errors::ResourceExhausted(who(), " ran out of memory");
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
