// SPDX-License-Identifier: Apache-2.0
// RecordInput: threads read files of records into a buffer, from which the op
// takes random ones.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/compression.h"
#include "core/lib/io/record_reader.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

struct RecordInputOptions {
  std::string pattern;
  uint64_t seed = 0;
  float shift_ratio = 0;
  size_t buffer_size = 1;
  int parallelism = 1;
  std::string compression;
};

// Gives the records of one epoch after another; each epoch has every record
// once. The threads start with the first request for a record, and end with
// this object.
class RecordBuffer {
 public:
  RecordBuffer(Env* env, RecordInputOptions options)
      : env_(env), options_(std::move(options)), random_(options_.seed) {}

  ~RecordBuffer() {
    {
      mutex_lock lock(mu_);
      stopped_ = true;
      changed_.notify_all();
    }
    threads_.clear();
  }

  // Waits for a record; after an error of a file every call returns that error.
  Status Next(std::string* record) {
    mutex_lock lock(mu_);
    if (!started_) TF_RETURN_IF_ERROR(StartLocked());
    // With the buffer half full, the order is random enough.
    const size_t enough = std::max<size_t>(1, options_.buffer_size / 2);
    while (status_.ok() &&
           (buffer_.empty() || (buffer_.size() < enough && !AllReadLocked()))) {
      changed_.wait(lock);
    }
    TF_RETURN_IF_ERROR(status_);
    std::uniform_int_distribution<size_t> place(0, buffer_.size() - 1);
    std::swap(buffer_[place(random_)], buffer_.back());
    *record = std::move(buffer_.back());
    buffer_.pop_back();
    ++given_;
    if (buffer_.empty() && AllReadLocked()) NextEpochLocked();
    changed_.notify_all();
    return OkStatus();
  }

 private:
  Status StartLocked() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    TF_RETURN_IF_ERROR(env_->GetMatchingPaths(options_.pattern, &files_));
    if (files_.empty()) {
      return errors::NotFound("RecordInput: Found no files at ",
                              options_.pattern);
    }
    started_ = true;
    epoch_ = -1;
    NextEpochLocked();
    const size_t n = std::min<size_t>(static_cast<size_t>(options_.parallelism),
                                      files_.size());
    for (size_t i = 0; i < n; ++i) {
      threads_.emplace_back(env_->StartThread(ThreadOptions(), "record_input",
                                              [this] { ReadFiles(); }));
    }
    return OkStatus();
  }

  bool AllReadLocked() const TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return files_read_ == files_.size();
  }

  // Begins the epoch after this one, which has given all its records.
  void NextEpochLocked() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    ++epoch_;
    files_begun_ = files_read_ = given_ = 0;
    order_ = files_;
    std::mt19937_64 shuffle(options_.seed + static_cast<uint64_t>(epoch_));
    std::shuffle(order_.begin(), order_.end(), shuffle);
    const size_t shift = static_cast<size_t>(options_.shift_ratio *
                                             static_cast<float>(order_.size()));
    std::rotate(order_.begin(), order_.begin() + shift % order_.size(),
                order_.end());
  }

  void ReadFiles() {
    for (;;) {
      std::string file;
      {
        mutex_lock lock(mu_);
        while (!stopped_ && status_.ok() && files_begun_ == order_.size()) {
          changed_.wait(lock);
        }
        if (stopped_ || !status_.ok()) return;
        file = order_[files_begun_++];
      }
      const Status read = ReadFile(file);
      mutex_lock lock(mu_);
      ++files_read_;
      if (!read.ok() && status_.ok()) status_ = read;
      if (AllReadLocked() && buffer_.empty()) {
        if (given_ > 0) {
          NextEpochLocked();
        } else if (status_.ok()) {
          status_ = errors::OutOfRange("RecordInput: the files at ",
                                       options_.pattern, " have no records");
        }
      }
      changed_.notify_all();
    }
  }

  Status ReadFile(const std::string& name) {
    std::unique_ptr<RandomAccessFile> file;
    TF_RETURN_IF_ERROR(env_->NewRandomAccessFile(name, &file));
    io::SequentialRecordReader reader(
        file.get(), io::RecordReaderOptions::CreateRecordReaderOptions(
                        options_.compression));
    for (;;) {
      std::string record;
      const Status read = reader.ReadRecord(&record);
      if (errors::IsOutOfRange(read)) return OkStatus();
      TF_RETURN_IF_ERROR(read);
      mutex_lock lock(mu_);
      while (!stopped_ && buffer_.size() >= options_.buffer_size) {
        changed_.wait(lock);
      }
      if (stopped_) return OkStatus();
      buffer_.push_back(std::move(record));
      changed_.notify_all();
    }
  }

  Env* const env_;
  const RecordInputOptions options_;
  mutex mu_;
  condition_variable changed_;
  bool started_ TF_GUARDED_BY(mu_) = false;
  bool stopped_ TF_GUARDED_BY(mu_) = false;
  Status status_ TF_GUARDED_BY(mu_);
  std::mt19937_64 random_ TF_GUARDED_BY(mu_);
  std::vector<std::string> files_ TF_GUARDED_BY(mu_);
  std::vector<std::string> order_ TF_GUARDED_BY(mu_);  // For this epoch.
  std::vector<std::string> buffer_ TF_GUARDED_BY(mu_);
  int64_t epoch_ TF_GUARDED_BY(mu_) = 0;
  size_t files_begun_ TF_GUARDED_BY(mu_) = 0;
  size_t files_read_ TF_GUARDED_BY(mu_) = 0;
  // The number of records given in this epoch.
  size_t given_ TF_GUARDED_BY(mu_) = 0;
  std::vector<std::unique_ptr<Thread>> threads_;
};

class RecordInputOp final : public OpKernel {
 public:
  explicit RecordInputOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    RecordInputOptions options;
    int64_t buffer = 0, parallelism = 0, seed = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("file_pattern", &options.pattern));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("file_random_seed", &seed));
    OP_REQUIRES_OK(
        ctx, ctx->GetAttr("file_shuffle_shift_ratio", &options.shift_ratio));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("file_buffer_size", &buffer));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("file_parallelism", &parallelism));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("batch_size", &batch_size_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compression_type", &options.compression));
    constexpr int64_t kMostThreads = 1024;
    OP_REQUIRES(ctx, buffer > 0,
                errors::InvalidArgument(
                    "RecordInput: file_buffer_size must be > 0, got ", buffer));
    OP_REQUIRES(
        ctx, parallelism > 0 && parallelism <= kMostThreads,
        errors::InvalidArgument("RecordInput: file_parallelism must be in [1, ",
                                kMostThreads, "], got ", parallelism));
    OP_REQUIRES(ctx, batch_size_ > 0,
                errors::InvalidArgument(
                    "RecordInput: batch_size must be > 0, got ", batch_size_));
    OP_REQUIRES(ctx, options.shift_ratio >= 0 && options.shift_ratio <= 1,
                errors::InvalidArgument(
                    "RecordInput: file_shuffle_shift_ratio must be in [0, 1], "
                    "got ",
                    options.shift_ratio));
    OP_REQUIRES_OK(ctx, io::CheckCompression(type_string(), "compression_type",
                                             options.compression));
    options.seed = static_cast<uint64_t>(seed);
    options.buffer_size = static_cast<size_t>(buffer);
    options.parallelism = static_cast<int>(parallelism);
    buffer_ = std::make_unique<RecordBuffer>(ctx->env(), std::move(options));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({batch_size_}), &output));
    for (std::string& record : Flat<std::string>(output)) {
      OP_REQUIRES_OK(ctx, buffer_->Next(&record));
    }
  }

 private:
  int64_t batch_size_;
  std::unique_ptr<RecordBuffer> buffer_;
};
REGISTER_KERNEL_BUILDER(Name("RecordInput").Device(DEVICE_CPU), RecordInputOp);

}  // namespace
}  // namespace tensorwright
