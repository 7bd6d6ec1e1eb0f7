// SPDX-License-Identifier: Apache-2.0
// Closes a table of elementwise ops: undefines its reader's macros.

#undef TW_ROW
#undef TW_UNARY_FORM
#undef TW_BINARY_FORM
#undef TW_UNARY
#undef TW_UNARY_PLAIN
#undef TW_UNARY_ALIAS
#undef TW_BINARY
#undef TW_BINARY_PLAIN
#undef TW_BINARY_ALIAS
#undef TW_SIGNED
#undef TW_INTS
#undef TW_FLOATS
#undef TW_COMPLEX
