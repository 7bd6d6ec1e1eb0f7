// SPDX-License-Identifier: Apache-2.0
// Names of compressions.
#ifndef TENSORWRIGHT_CORE_LIB_IO_COMPRESSION_H_
#define TENSORWRIGHT_CORE_LIB_IO_COMPRESSION_H_

namespace tensorwright {
namespace io {
namespace compression {

inline constexpr char kNone[] = "";
inline constexpr char kZlib[] = "ZLIB";
inline constexpr char kGzip[] = "GZIP";

}  // namespace compression
}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_COMPRESSION_H_
