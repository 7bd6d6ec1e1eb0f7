// SPDX-License-Identifier: Apache-2.0
// Files of records, plain and compressed, and streams under them.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/hash/crc32c.h"
#include "tensorflow/core/lib/io/buffered_inputstream.h"
#include "tensorflow/core/lib/io/path.h"
#include "tensorflow/core/lib/io/random_inputstream.h"
#include "tensorflow/core/lib/io/record_reader.h"
#include "tensorflow/core/lib/io/record_writer.h"
#include "tensorflow/core/lib/io/zlib_compression_options.h"
#include "tensorflow/core/lib/io/zlib_inputstream.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/file_system.h"

using namespace tensorflow;

REGISTER_OP("CorpusRecordFile")
    .Input("path: string")
    .Input("records: string")
    .Output("read: string")
    .Output("bytes: int64")
    .Attr("compression_type: {'', 'ZLIB', 'GZIP'} = ''")
    .SetIsStateful();

class CorpusRecordFileOp : public OpKernel {
 public:
  explicit CorpusRecordFileOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compression_type", &compression_type_));
  }

  void Compute(OpKernelContext* ctx) override {
    const string path = ctx->input(0).scalar<tstring>()();
    const auto records = ctx->input(1).flat<tstring>();
    std::unique_ptr<WritableFile> out;
    OP_REQUIRES_OK(ctx, ctx->env()->NewWritableFile(path, &out));
    {
      io::RecordWriter writer(
          out.get(), io::RecordWriterOptions::CreateRecordWriterOptions(
                         compression_type_));
      for (int64 i = 0; i < records.size(); ++i) {
        OP_REQUIRES_OK(ctx, writer.WriteRecord(records(i)));
      }
      OP_REQUIRES_OK(ctx, writer.Flush());
      OP_REQUIRES_OK(ctx, writer.Close());
    }
    OP_REQUIRES_OK(ctx, out->Close());

    std::unique_ptr<RandomAccessFile> in;
    OP_REQUIRES_OK(ctx, Env::Default()->NewRandomAccessFile(path, &in));
    io::RecordReader reader(
        in.get(),
        io::RecordReaderOptions::CreateRecordReaderOptions(compression_type_));
    uint64 offset = 0;
    std::vector<string> read;
    while (true) {
      string record;
      Status s = reader.ReadRecord(&offset, &record);
      if (errors::IsOutOfRange(s)) break;
      OP_REQUIRES_OK(ctx, s);
      read.push_back(record);
    }
    Tensor* output;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(
                 0, TensorShape({static_cast<int64>(read.size())}), &output));
    std::copy(read.begin(), read.end(), output->vec<tstring>().data());
    uint64 size;
    OP_REQUIRES_OK(ctx, ctx->env()->GetFileSize(path, &size));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape(), &output));
    output->scalar<int64>()() = size;
  }

 private:
  string compression_type_;
};
REGISTER_KERNEL_BUILDER(Name("CorpusRecordFile").Device(DEVICE_CPU),
                        CorpusRecordFileOp);

REGISTER_OP("CorpusHeadOfFile")
    .Input("path: string")
    .Output("head: string")
    .Output("line: string")
    .Output("rest: string")
    .Output("crc: int64")
    .Attr("gzip: bool = false");

class CorpusHeadOfFileOp : public OpKernel {
 public:
  explicit CorpusHeadOfFileOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("gzip", &gzip_));
  }

  void Compute(OpKernelContext* ctx) override {
    const string path = ctx->input(0).scalar<tstring>()();
    std::unique_ptr<RandomAccessFile> file;
    OP_REQUIRES_OK(ctx, ctx->env()->NewRandomAccessFile(path, &file));
    std::unique_ptr<io::InputStreamInterface> stream(
        new io::RandomAccessInputStream(file.get()));
    if (gzip_) {
      stream.reset(new io::ZlibInputStream(
          new io::RandomAccessInputStream(file.get()), 256, 256,
          io::ZlibCompressionOptions::GZIP(), true));
    }
    io::BufferedInputStream buffered(stream.get(), 7);
    string head, line, rest;
    OP_REQUIRES_OK(ctx, buffered.ReadNBytes(4, &head));
    OP_REQUIRES_OK(ctx, buffered.SkipNBytes(1));
    OP_REQUIRES_OK(ctx, buffered.ReadLine(&line));
    const int64 at = buffered.Tell();
    OP_REQUIRES_OK(ctx, buffered.Seek(0));
    OP_REQUIRES_OK(ctx, buffered.SkipNBytes(at));
    OP_REQUIRES_OK(ctx, buffered.ReadAll(&rest));
    const string* texts[] = {&head, &line, &rest};
    for (int i = 0; i < 3; ++i) {
      Tensor* out;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i, TensorShape(), &out));
      out->scalar<tstring>()() = *texts[i];
    }
    Tensor* crc;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3, TensorShape(), &crc));
    const uint32 value = crc32c::Value(rest.data(), rest.size());
    OP_REQUIRES(ctx, crc32c::Unmask(crc32c::Mask(value)) == value,
                errors::Internal("crc"));
    crc->scalar<int64>()() = value;
  }

 private:
  bool gzip_;
};
REGISTER_KERNEL_BUILDER(Name("CorpusHeadOfFile").Device(DEVICE_CPU),
                        CorpusHeadOfFileOp);
