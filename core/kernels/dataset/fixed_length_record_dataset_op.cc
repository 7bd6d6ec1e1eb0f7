// SPDX-License-Identifier: Apache-2.0
// FixedLengthRecordDataset: records of equal length between header and footer.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/file_dataset.h"
#include "core/lib/io/buffered_inputstream.h"
#include "core/lib/io/compression.h"
#include "core/lib/io/open_stream.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

struct Layout {
  int64_t header = 0;
  int64_t record = 0;
  int64_t footer = 0;
};

class Records final : public FileRecords {
 public:
  Records(std::unique_ptr<io::InputStreamInterface> stream, int64_t buffer_size,
          const Layout& layout)
      : stream_(stream.release(), buffer_size, /*owns_input_stream=*/true),
        layout_(layout) {}

  StatusOr<bool> Next(std::string* record) override {
    if (!begun_) {
      begun_ = true;
      std::string header;
      const Status read = stream_.ReadNBytes(layout_.header, &header);
      if (errors::IsOutOfRange(read)) return TooShort();
      TF_RETURN_IF_ERROR(read);
      // The bytes after a record may be the footer, so as many are always held.
      TF_RETURN_IF_ERROR(ReadAhead(layout_.footer));
      if (static_cast<int64_t>(held_.size()) < layout_.footer) {
        return TooShort();
      }
    }
    if (layout_.footer == 0) {
      // Reads straight into the record, which may be long.
      const Status read = stream_.ReadNBytes(layout_.record, record);
      if (!read.ok() && !errors::IsOutOfRange(read)) return read;
      if (static_cast<int64_t>(record->size()) == layout_.record) return true;
      return AtEnd(static_cast<int64_t>(record->size()));
    }
    TF_RETURN_IF_ERROR(ReadAhead(layout_.footer + layout_.record));
    const int64_t left = static_cast<int64_t>(held_.size()) - layout_.footer;
    if (left < layout_.record) {
      held_.clear();
      return AtEnd(left);
    }
    *record = held_.substr(0, layout_.record);
    held_.erase(0, layout_.record);
    return true;
  }

 private:
  static Status TooShort() {
    return errors::InvalidArgument(
        "the file is shorter than its header and footer");
  }

  // False if no bytes of a record are left.
  StatusOr<bool> AtEnd(int64_t left) const {
    if (left == 0) return false;
    return errors::InvalidArgument(
        "Excess bytes: the body of the file must be a multiple of the "
        "record length ",
        layout_.record, ", and ", left, " bytes are left");
  }

  // Reads that many bytes, or as many as there are.
  Status ReadAhead(int64_t n) {
    const int64_t missing = n - static_cast<int64_t>(held_.size());
    if (missing <= 0) return OkStatus();
    std::string more;
    const Status status = stream_.ReadNBytes(missing, &more);
    if (!status.ok() && !errors::IsOutOfRange(status)) return status;
    held_ += more;
    return OkStatus();
  }

  io::BufferedInputStream stream_;
  const Layout layout_;
  bool begun_ = false;
  std::string held_;
};

class FixedLengthRecordDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    std::vector<std::string> files;
    std::string compression;
    int64_t buffer_size = 0;
    Layout layout;
    TF_RETURN_IF_ERROR(FileNames(ctx, &files));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "header_bytes", &layout.header));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "record_bytes", &layout.record));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "footer_bytes", &layout.footer));
    TF_RETURN_IF_ERROR(BufferSize(ctx, &buffer_size));
    if (type_string() == "FixedLengthRecordDatasetV2") {
      TF_RETURN_IF_ERROR(ScalarArgument(ctx, "compression_type", &compression));
      TF_RETURN_IF_ERROR(
          io::CheckCompression(type_string(), "compression_type", compression));
    }
    if (layout.header < 0 || layout.footer < 0 || layout.record <= 0 ||
        layout.header > kMost || layout.footer > kMost ||
        layout.record > kMost) {
      return errors::InvalidArgument(
          type_string(),
          ": `header_bytes` and `footer_bytes` must be >= 0, `record_bytes` "
          "must be > 0, all at most ",
          kMost, ", got ", layout.header, ", ", layout.footer, " and ",
          layout.record);
    }
    return NewFileDataset(
        "FixedLengthRecord", std::move(files),
        [compression, buffer_size, layout](Env* env, const std::string& name)
            -> StatusOr<std::unique_ptr<FileRecords>> {
          std::unique_ptr<io::InputStreamInterface> stream;
          TF_RETURN_IF_ERROR(
              io::OpenStream(env, name, compression, buffer_size, &stream));
          return std::unique_ptr<FileRecords>(
              new Records(std::move(stream), buffer_size, layout));
        });
  }

 private:
  static constexpr int64_t kMost = int64_t{1} << 31;
};
REGISTER_KERNEL_BUILDER(Name("FixedLengthRecordDataset").Device(DEVICE_CPU),
                        FixedLengthRecordDatasetOp);
REGISTER_KERNEL_BUILDER(Name("FixedLengthRecordDatasetV2").Device(DEVICE_CPU),
                        FixedLengthRecordDatasetOp);

}  // namespace
}  // namespace tensorwright
