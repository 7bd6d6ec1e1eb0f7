// SPDX-License-Identifier: Apache-2.0
// LMDBReader: keys and values of LMDB databases, in the order of the keys.
//
// LMDB maps the file, so it must be a local one.

#include <lmdb.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/reader_base.h"
#include "core/framework/reader_op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/path.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

// An open database and a position in it.
class Database {
 public:
  ~Database() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
    if (transaction_ != nullptr) mdb_txn_abort(transaction_);
    if (env_ != nullptr) mdb_env_close(env_);
  }

  Status Open(const std::string& path) {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) {
      return errors::NotFound(path, "; no such file or folder");
    }
    // The path is a folder with a file of that format, or the file itself.
    const unsigned flags = MDB_RDONLY | MDB_NOTLS | MDB_NOLOCK |
                           (S_ISREG(info.st_mode) ? MDB_NOSUBDIR : 0);
    constexpr mdb_mode_t kMode = 0664;
    TF_RETURN_IF_ERROR(Check(path, mdb_env_create(&env_)));
    TF_RETURN_IF_ERROR(
        Check(path, mdb_env_open(env_, path.c_str(), flags, kMode)));
    TF_RETURN_IF_ERROR(
        Check(path, mdb_txn_begin(env_, nullptr, MDB_RDONLY, &transaction_)));
    MDB_dbi dbi;
    TF_RETURN_IF_ERROR(
        Check(path, mdb_dbi_open(transaction_, nullptr, 0, &dbi)));
    return Check(path, mdb_cursor_open(transaction_, dbi, &cursor_));
  }

  // Sets *found to false after the last one.
  Status Next(const std::string& path, std::string* key, std::string* value,
              bool* found) {
    MDB_val k, v;
    const int got = mdb_cursor_get(cursor_, &k, &v, MDB_NEXT);
    *found = got != MDB_NOTFOUND;
    if (!*found) return OkStatus();
    TF_RETURN_IF_ERROR(Check(path, got));
    key->assign(static_cast<const char*>(k.mv_data), k.mv_size);
    value->assign(static_cast<const char*>(v.mv_data), v.mv_size);
    return OkStatus();
  }

 private:
  static Status Check(const std::string& path, int result) {
    if (result == MDB_SUCCESS) return OkStatus();
    return errors::InvalidArgument(path, ": ", mdb_strerror(result));
  }

  MDB_env* env_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_cursor* cursor_ = nullptr;
};

class LMDBReader final : public ReaderBase {
 public:
  LMDBReader(const std::string& node_name, Env* env)
      : ReaderBase(absl::StrCat("LMDBReader '", node_name, "'")), env_(env) {}

  Status OnWorkStartedLocked() override {
    // The library opens the file by itself, so Env is asked whether it may.
    for (const std::string& file :
         {current_work(), io::JoinPath(current_work(), "data.mdb")}) {
      std::unique_ptr<RandomAccessFile> unused;
      const Status opened = env_->NewRandomAccessFile(file, &unused);
      if (errors::IsPermissionDenied(opened)) return opened;
    }
    database_ = std::make_unique<Database>();
    return database_->Open(current_work());
  }

  Status OnWorkFinishedLocked() override {
    database_.reset();
    return OkStatus();
  }

  Status ReadLocked(tstring* key, tstring* value, bool* produced,
                    bool* at_end) override {
    TF_RETURN_IF_ERROR(database_->Next(current_work(), key, value, produced));
    *at_end = !*produced;
    return OkStatus();
  }

  Status ResetLocked() override {
    database_.reset();
    return ReaderBase::ResetLocked();
  }

 private:
  Env* const env_;
  std::unique_ptr<Database> database_;
};

class LMDBReaderOp final : public ReaderOpKernel {
 public:
  explicit LMDBReaderOp(OpKernelConstruction* ctx) : ReaderOpKernel(ctx) {
    Env* const env = ctx->env();
    SetReaderFactory([this, env] { return new LMDBReader(name(), env); });
  }
};
REGISTER_KERNEL_BUILDER(Name("LMDBReader").Device(DEVICE_CPU), LMDBReaderOp);

}  // namespace
}  // namespace tensorwright
