// SPDX-License-Identifier: Apache-2.0
// TFRecordDataset: the records of TFRecord files.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/file_dataset.h"
#include "core/lib/io/compression.h"
#include "core/lib/io/record_reader.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

class Records final : public FileRecords {
 public:
  Records(std::unique_ptr<RandomAccessFile> file,
          const io::RecordReaderOptions& options)
      : file_(std::move(file)), reader_(file_.get(), options) {}

  StatusOr<bool> Next(std::string* record) override {
    const Status status = reader_.ReadRecord(record);
    if (errors::IsOutOfRange(status)) return false;
    TF_RETURN_IF_ERROR(status);
    return true;
  }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  io::SequentialRecordReader reader_;
};

class TFRecordDatasetOp final : public DatasetOpKernel {
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
    io::RecordReaderOptions options =
        io::RecordReaderOptions::CreateRecordReaderOptions(compression);
    options.buffer_size = buffer_size;
    return NewFileDataset(
        "TFRecord", std::move(files),
        [options](Env* env, const std::string& name)
            -> StatusOr<std::unique_ptr<FileRecords>> {
          std::unique_ptr<RandomAccessFile> file;
          TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &file));
          return std::unique_ptr<FileRecords>(
              new Records(std::move(file), options));
        });
  }
};
REGISTER_KERNEL_BUILDER(Name("TFRecordDataset").Device(DEVICE_CPU),
                        TFRecordDatasetOp);

}  // namespace
}  // namespace tensorwright
