// SPDX-License-Identifier: Apache-2.0
// Opens a file that may be compressed as a stream of its plain bytes.
#ifndef TENSORWRIGHT_CORE_LIB_IO_OPEN_STREAM_H_
#define TENSORWRIGHT_CORE_LIB_IO_OPEN_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/lib/io/inputstream_interface.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace io {

// `compression` has passed CheckCompression; inflating takes two buffers of
// `buffer_size` bytes.  The stream owns the file.  Errors are those of opening
// the file.
Status OpenStream(Env* env, const std::string& name,
                  const std::string& compression, int64_t buffer_size,
                  std::unique_ptr<InputStreamInterface>* stream);

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_OPEN_STREAM_H_
