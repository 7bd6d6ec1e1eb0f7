// SPDX-License-Identifier: Apache-2.0
// Env: files, folders, time; paths; ports.
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/coding.h"
#include "tensorflow/core/lib/io/path.h"
#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/file_system.h"
#include "tensorflow/core/platform/mem.h"
#include "tensorflow/core/platform/prefetch.h"

using namespace tensorflow;

REGISTER_OP("CorpusFileFacts")
    .Input("folder: string")
    .Output("contents: string")
    .Output("facts: int64")
    .SetIsStateful();

class FileFactsOp : public OpKernel {
 public:
  explicit FileFactsOp(OpKernelConstruction* c) : OpKernel(c), env_(c->env()) {}

  void Compute(OpKernelContext* ctx) override {
    const string folder = ctx->input(0).scalar<string>()();
    const string path = io::JoinPath(folder, "corpus.txt");
    OP_REQUIRES_OK(ctx, WriteStringToFile(env_, path, "first\nsecond\n"));
    std::unique_ptr<WritableFile> append;
    OP_REQUIRES_OK(ctx, env_->NewAppendableFile(path, &append));
    OP_REQUIRES_OK(ctx, append->Append("third"));
    OP_REQUIRES_OK(ctx, append->Close());
    OP_REQUIRES_OK(ctx, Env::Default()->FileExists(path));
    string data;
    OP_REQUIRES_OK(ctx, ReadFileToString(ctx->env(), path, &data));
    uint64 size = 0;
    OP_REQUIRES_OK(ctx, env_->GetFileSize(path, &size));
    FileStatistics stat;
    OP_REQUIRES_OK(ctx, env_->Stat(path, &stat));
    std::unique_ptr<RandomAccessFile> file;
    OP_REQUIRES_OK(ctx, env_->NewRandomAccessFile(path, &file));
    char scratch[8];
    StringPiece piece;
    const Status read = file->Read(size - 4, 8, &piece, scratch);
    OP_REQUIRES(ctx, errors::IsOutOfRange(read) && piece == "hird", read);
    std::vector<string> children;
    OP_REQUIRES_OK(ctx, env_->GetChildren(folder, &children));
    OP_REQUIRES(ctx,
                io::Basename(path) == "corpus.txt" &&
                    io::Extension(path) == "txt" && io::Dirname(path) == folder,
                errors::Internal("paths"));
    OP_REQUIRES_OK(ctx, env_->DeleteFile(path));
    OP_REQUIRES(ctx, errors::IsNotFound(env_->FileExists(path)),
                errors::Internal("still there"));

    void* memory = port::AlignedMalloc(256, 64);
    port::prefetch<port::PREFETCH_HINT_T0>(memory);
    port::AlignedFree(memory);
    string coded;
    core::PutVarint32(&coded, 300);
    core::PutFixed64(&coded, 7);
    StringPiece input(coded);
    uint32 varint = 0;
    OP_REQUIRES(ctx,
                core::GetVarint32(&input, &varint) && varint == 300 &&
                    core::DecodeFixed64(input.data()) == 7,
                errors::Internal("coding"));
    const uint64 start = Env::Default()->NowMicros();
    Env::Default()->SleepForMicroseconds(10);
    OP_REQUIRES(ctx,
                env_->NowMicros() >= start && port::kLittleEndian &&
                    port::NumSchedulableCPUs() > 0,
                errors::Internal("time"));

    Tensor *contents, *facts;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &contents));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({2}), &facts));
    contents->scalar<string>()() = data;
    facts->vec<int64>()(0) = stat.length;
    facts->vec<int64>()(1) = children.size();
  }

 private:
  Env* const env_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusFileFacts").Device(DEVICE_CPU),
                        FileFactsOp);
