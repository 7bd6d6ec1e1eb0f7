// SPDX-License-Identifier: Apache-2.0
// Inflates by protobuf's stream, which the library carries along anyway.
#include "core/lib/io/zlib_inputstream.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cstring>

namespace tensorwright {
namespace io {

class ZlibInputStream::Inflater
    : public google::protobuf::io::CopyingInputStream {
 public:
  Inflater(InputStreamInterface* from, size_t block)
      : from_(from), raw_(this, static_cast<int>(block)), inflated_(&raw_) {}

  // What protobuf's stream asks for: 0 at the end, -1 for an error.
  int Read(void* buffer, int size) override {
    tstring bytes;
    const Status read = from_->ReadNBytes(size, &bytes);
    if (!read.ok() && !errors::IsOutOfRange(read)) {
      status_ = read;
      return -1;
    }
    std::memcpy(buffer, bytes.data(), bytes.size());
    return static_cast<int>(bytes.size());
  }

  Status ReadInflated(size_t n, tstring* result) {
    while (result->size() < n) {
      const void* data = nullptr;
      int size = 0;
      if (!inflated_.Next(&data, &size)) {
        TF_RETURN_IF_ERROR(status_);
        // Z_STREAM_END is 1, Z_OK 0, what is wrong below.
        if (inflated_.ZlibErrorCode() < 0) {
          return errors::DataLoss("inflate: ",
                                  inflated_.ZlibErrorMessage() != nullptr
                                      ? inflated_.ZlibErrorMessage()
                                      : "the data is cut off");
        }
        return errors::OutOfRange("the end of the stream");
      }
      const size_t taken =
          std::min(n - result->size(), static_cast<size_t>(size));
      result->append(static_cast<const char*>(data), taken);
      inflated_.BackUp(size - static_cast<int>(taken));
    }
    return Status();
  }

 private:
  InputStreamInterface* const from_;
  Status status_;
  google::protobuf::io::CopyingInputStreamAdaptor raw_;
  google::protobuf::io::GzipInputStream inflated_;
};

ZlibInputStream::ZlibInputStream(InputStreamInterface* input_stream,
                                 size_t input_buffer_bytes, size_t,
                                 const ZlibCompressionOptions& zlib_options,
                                 bool owns_input_stream)
    : input_stream_(input_stream),
      owns_input_stream_(owns_input_stream),
      input_buffer_bytes_(std::clamp<size_t>(input_buffer_bytes, 1, 1 << 30)),
      options_(zlib_options) {
  Begin();
}

ZlibInputStream::~ZlibInputStream() {
  inflater_.reset();
  if (owns_input_stream_) delete input_stream_;
}

void ZlibInputStream::Begin() {
  inflater_ = std::make_unique<Inflater>(input_stream_, input_buffer_bytes_);
  bytes_read_ = 0;
}

Status ZlibInputStream::ReadNBytes(int64_t bytes_to_read, tstring* result) {
  result->clear();
  if (bytes_to_read < 0) {
    return errors::InvalidArgument("bytes to read must be >= 0, got ",
                                   bytes_to_read);
  }
  if (options_.window_bits < 0) {
    return errors::Unimplemented("inflate: data without a header");
  }
  const Status read =
      inflater_->ReadInflated(static_cast<size_t>(bytes_to_read), result);
  bytes_read_ += static_cast<int64_t>(result->size());
  return read;
}

Status ZlibInputStream::Reset() {
  TF_RETURN_IF_ERROR(input_stream_->Reset());
  Begin();
  return Status();
}

}  // namespace io
}  // namespace tensorwright
