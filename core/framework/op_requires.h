// SPDX-License-Identifier: Apache-2.0
// OP_REQUIRES and its kin: leave a kernel, or its constructor, with an error.
// The condition is evaluated once, the status only if it is false; the first
// error of a context counts.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_REQUIRES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_REQUIRES_H_

#include <utility>

#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

// CTX is an OpKernelContext* or an OpKernelConstruction*.
//
//   OP_REQUIRES(ctx, n >= 0, errors::InvalidArgument("Fill: n is ", n));
//   OP_REQUIRES_OK(ctx, ctx->GetAttr("T", &dtype_));
//
// The _ASYNC forms call CALLBACK before they return from the function.  The
// error remembers the line (errors::FailedSource).  They are loops whose body
// leaves the function: unlike a bare `if` they swallow no `else`, and unlike
// `do ... while (0)` they need no semicolon behind them, which many custom ops
// leave out.
#define OP_REQUIRES(CTX, EXP, STATUS)                \
  while (__builtin_expect(!(EXP), 0)) {              \
    (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS)); \
    return;                                          \
  }

#define OP_REQUIRES_OK(CTX, ...)                                \
  for (::tensorwright::Status op_requires_status_(__VA_ARGS__); \
       __builtin_expect(!op_requires_status_.ok(), 0);) {       \
    (CTX)->CtxFailure(__FILE__, __LINE__, op_requires_status_); \
    return;                                                     \
  }

#define OP_REQUIRES_ASYNC(CTX, EXP, STATUS, CALLBACK) \
  while (__builtin_expect(!(EXP), 0)) {               \
    (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS));  \
    (CALLBACK)();                                     \
    return;                                           \
  }

#define OP_REQUIRES_OK_ASYNC(CTX, STATUS, CALLBACK)             \
  for (::tensorwright::Status op_requires_status_(STATUS);      \
       __builtin_expect(!op_requires_status_.ok(), 0);) {       \
    (CTX)->CtxFailure(__FILE__, __LINE__, op_requires_status_); \
    (CALLBACK)();                                               \
    return;                                                     \
  }

// LHS = the value of a StatusOr, or leave with its error.  LHS may declare a
// variable; the macro is several statements, so it needs braces behind an `if`.
#define OP_REQUIRES_VALUE(LHS, CTX, REXPR)                                 \
  TENSORWRIGHT_OP_REQUIRES_VALUE(                                          \
      TF_ASSIGN_OR_RETURN_JOIN(op_requires_value_, __COUNTER__), LHS, CTX, \
      REXPR)
#define TENSORWRIGHT_OP_REQUIRES_VALUE(STATUSOR, LHS, CTX, REXPR) \
  auto STATUSOR = (REXPR);                                        \
  OP_REQUIRES_OK(CTX, STATUSOR.status())                          \
  LHS = std::move(STATUSOR).value()

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_REQUIRES_H_
