// SPDX-License-Identifier: Apache-2.0
// OP_REQUIRES and its kin: leave a kernel with an error.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_REQUIRES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_REQUIRES_H_

#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

// CTX is an OpKernelContext* or an OpKernelConstruction*.
//
//   OP_REQUIRES(ctx, n >= 0, errors::InvalidArgument("Fill: n is ", n));
//   OP_REQUIRES_OK(ctx, ctx->GetAttr("T", &dtype_));
//
// The _ASYNC forms call CALLBACK before they return from the function.
#define OP_REQUIRES(CTX, EXP, STATUS)  \
  do {                                 \
    if (__builtin_expect(!(EXP), 0)) { \
      (CTX)->CtxFailure((STATUS));     \
      return;                          \
    }                                  \
  } while (0)

#define OP_REQUIRES_OK(CTX, ...)                             \
  do {                                                       \
    ::tensorwright::Status op_requires_status_(__VA_ARGS__); \
    if (__builtin_expect(!op_requires_status_.ok(), 0)) {    \
      (CTX)->CtxFailure(op_requires_status_);                \
      return;                                                \
    }                                                        \
  } while (0)

#define OP_REQUIRES_ASYNC(CTX, EXP, STATUS, CALLBACK) \
  do {                                                \
    if (__builtin_expect(!(EXP), 0)) {                \
      (CTX)->CtxFailure((STATUS));                    \
      (CALLBACK)();                                   \
      return;                                         \
    }                                                 \
  } while (0)

#define OP_REQUIRES_OK_ASYNC(CTX, STATUS, CALLBACK)       \
  do {                                                    \
    ::tensorwright::Status op_requires_status_(STATUS);   \
    if (__builtin_expect(!op_requires_status_.ok(), 0)) { \
      (CTX)->CtxFailure(op_requires_status_);             \
      (CALLBACK)();                                       \
      return;                                             \
    }                                                     \
  } while (0)

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_REQUIRES_H_
