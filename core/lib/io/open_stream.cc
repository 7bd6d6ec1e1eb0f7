// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/open_stream.h"

#include <utility>

#include "core/lib/io/compression.h"
#include "core/lib/io/random_inputstream.h"
#include "core/lib/io/zlib_inputstream.h"

namespace tensorwright {
namespace io {
namespace {

// A stream that owns the file it reads.
class FileStream final : public InputStreamInterface {
 public:
  explicit FileStream(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)), stream_(file_.get()) {}

  using InputStreamInterface::ReadNBytes;
  Status ReadNBytes(int64_t n, tstring* result) override {
    return stream_.ReadNBytes(n, result);
  }
  int64_t Tell() const override { return stream_.Tell(); }
  Status Reset() override { return stream_.Reset(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  RandomAccessInputStream stream_;
};

}  // namespace

Status OpenStream(Env* env, const std::string& name,
                  const std::string& compression, int64_t buffer_size,
                  std::unique_ptr<InputStreamInterface>* stream) {
  std::unique_ptr<RandomAccessFile> file;
  TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &file));
  *stream = std::make_unique<FileStream>(std::move(file));
  // The first bytes tell which of the two formats it is.
  if (compression != compression::kNone) {
    *stream = std::make_unique<ZlibInputStream>(
        stream->release(), buffer_size, buffer_size, ZlibCompressionOptions(),
        /*owns_input_stream=*/true);
  }
  return Status();
}

}  // namespace io
}  // namespace tensorwright
