// SPDX-License-Identifier: Apache-2.0
// TextLineDataset: the lines of files.

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

class Lines final : public FileRecords {
 public:
  Lines(std::unique_ptr<io::InputStreamInterface> stream, int64_t buffer_size)
      : lines_(stream.release(), buffer_size, /*owns_input_stream=*/true) {}

  StatusOr<bool> Next(std::string* record) override {
    const Status status = lines_.ReadLine(record);
    if (errors::IsOutOfRange(status)) return false;
    TF_RETURN_IF_ERROR(status);
    return true;
  }

 private:
  io::BufferedInputStream lines_;
};

class TextLineDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    std::vector<std::string> files;
    std::string compression;
    int64_t buffer_size = 0;
    TF_RETURN_IF_ERROR(FileNames(ctx, &files));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "compression_type", &compression));
    TF_RETURN_IF_ERROR(
        io::CheckCompression(type_string(), "compression_type", compression));
    TF_RETURN_IF_ERROR(BufferSize(ctx, &buffer_size));
    return NewFileDataset(
        "TextLine", std::move(files),
        [compression, buffer_size](Env* env, const std::string& name)
            -> StatusOr<std::unique_ptr<FileRecords>> {
          std::unique_ptr<io::InputStreamInterface> stream;
          TF_RETURN_IF_ERROR(
              io::OpenStream(env, name, compression, buffer_size, &stream));
          return std::unique_ptr<FileRecords>(
              new Lines(std::move(stream), buffer_size));
        });
  }
};
REGISTER_KERNEL_BUILDER(Name("TextLineDataset").Device(DEVICE_CPU),
                        TextLineDatasetOp);

}  // namespace
}  // namespace tensorwright
