// SPDX-License-Identifier: Apache-2.0
// Opens a table of elementwise ops (cwise_table.h): macros that its reader did
// not define expand to nothing.  It has no include guard, on purpose.
//
// A reader that treats all rows alike defines one macro instead,
//   TW_ROW(arity, op, f, cost, types, gpu, flags)
// with arity Unary or Binary and f the functor.

#ifdef TW_ROW
#define TW_UNARY(op, cost, types, gpu, flags, ...) \
  TW_ROW(Unary, op, op, cost, types, gpu, flags)
#define TW_UNARY_PLAIN(op, cost, types, gpu, flags) \
  TW_ROW(Unary, op, op, cost, types, gpu, flags)
#define TW_UNARY_ALIAS(op, f, cost, types, gpu, flags) \
  TW_ROW(Unary, op, f, cost, types, gpu, flags)
#define TW_BINARY(op, cost, types, gpu, flags, ...) \
  TW_ROW(Binary, op, op, cost, types, gpu, flags)
#define TW_BINARY_PLAIN(op, cost, types, gpu, flags) \
  TW_ROW(Binary, op, op, cost, types, gpu, flags)
#define TW_BINARY_ALIAS(op, f, cost, types, gpu, flags) \
  TW_ROW(Binary, op, f, cost, types, gpu, flags)
#endif

#ifndef TW_UNARY_FORM
#define TW_UNARY_FORM(op, x, ...)
#endif
#ifndef TW_BINARY_FORM
#define TW_BINARY_FORM(op, x, y, ...)
#endif
#ifndef TW_UNARY
#define TW_UNARY(op, cost, types, gpu, flags, ...)
#endif
#ifndef TW_UNARY_PLAIN
#define TW_UNARY_PLAIN(op, cost, types, gpu, flags)
#endif
#ifndef TW_UNARY_ALIAS
#define TW_UNARY_ALIAS(op, f, cost, types, gpu, flags)
#endif
#ifndef TW_BINARY
#define TW_BINARY(op, cost, types, gpu, flags, ...)
#endif
#ifndef TW_BINARY_PLAIN
#define TW_BINARY_PLAIN(op, cost, types, gpu, flags)
#endif
#ifndef TW_BINARY_ALIAS
#define TW_BINARY_ALIAS(op, f, cost, types, gpu, flags)
#endif

// Names for lists in the column of the CPU's types.
#define TW_SIGNED int8, int16, int32, int64_t
#define TW_INTS TW_SIGNED, uint8, uint16, uint32, uint64
#define TW_FLOATS Eigen::half, Eigen::bfloat16, float, double
#define TW_COMPLEX complex64, complex128
