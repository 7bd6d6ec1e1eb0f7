// SPDX-License-Identifier: Apache-2.0
// Event files: a writer whose thread needs no GIL; a reader and a writer of
// records.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/crc32c.h"
#include "core/lib/io/record_reader.h"
#include "core/lib/io/record_writer.h"
#include "core/platform/env.h"
#include "core/util/events_writer_async.h"
#include "core/util/summary_metadata.h"
#include "python/pywrap/bind.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

// The time that a call waits before it looks for a Ctrl-C.
constexpr absl::Duration kSlice = absl::Milliseconds(50);

// Calls wait(kSlice), without the GIL, until it returns anything but
// DeadlineExceeded.
template <typename Wait>
void WaitFor(const Wait& wait) {
  for (;;) {
    Status status;
    {
      py::gil_scoped_release release;
      status = wait(kSlice);
    }
    if (status.ok()) return;
    if (!errors::IsDeadlineExceeded(status)) RaiseIfError(status);
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

class Writer {
 public:
  Writer(const std::string& prefix, const std::string& suffix,
         int64_t max_queue, double flush_secs)
      : writer_(prefix, suffix, max_queue, absl::Seconds(flush_secs)) {
    const Status opened = writer_.Init();
    RaiseIfError(opened);
  }

  void AddEvent(const std::string& serialized) { Add(serialized); }

  // False if `summary` is no serialized Summary.
  bool AddSummary(const std::string& summary, double wall_time, int64_t step) {
    std::string without_repeated;
    absl::string_view bytes = summary;
    switch (metadata_.Filter(summary, &without_repeated)) {
      case SummaryMetadataFilter::kBroken:
        return false;
      case SummaryMetadataFilter::kChanged:
        bytes = without_repeated;
        break;
      case SummaryMetadataFilter::kAsItIs:
        break;
    }
    Add(EventOf(bytes, wall_time, step));
    return true;
  }

  void Flush() {
    WaitFor([this](absl::Duration timeout) { return writer_.Flush(timeout); });
  }

  void Close() {
    Status status;
    {
      py::gil_scoped_release release;
      status = writer_.Close();
    }
    RaiseIfError(status);
  }

  std::string filename() const { return writer_.filename(); }

 private:
  // An Event, written field by field (core/util/event.proto): the summary may
  // be large, and is copied only once.
  static std::string EventOf(absl::string_view summary, double wall_time,
                             int64_t step) {
    constexpr char kWallTime = 1 << 3 | 1, kStep = 2 << 3,
                   kSummary = 5 << 3 | 2;
    std::string event;
    event.reserve(summary.size() + 32);
    event.push_back(kWallTime);
    core::PutFixed64(&event, std::bit_cast<uint64_t>(wall_time));
    if (step != 0) {
      event.push_back(kStep);
      core::PutVarint64(&event, static_cast<uint64_t>(step));
    }
    event.push_back(kSummary);
    core::PutVarint64(&event, summary.size());
    event.append(summary.data(), summary.size());
    return event;
  }

  void Add(std::string event) {
    WaitFor(
        [&](absl::Duration timeout) { return writer_.Add(&event, timeout); });
  }

  AsyncEventsWriter writer_;
  SummaryMetadataFilter metadata_;  // Guarded by the GIL.
};

// The records of a file, one after the other.
class Reader {
 public:
  // `stop_where_cut_off`: a record that is not complete ends the file.  For
  // files without compression.
  Reader(const std::string& path, const std::string& compression,
         bool stop_where_cut_off)
      : path_(path), stop_where_cut_off_(stop_where_cut_off) {
    const Status opened = Env::Default()->NewRandomAccessFile(path, &file_);
    RaiseIfError(opened);
    reader_ = std::make_unique<io::SequentialRecordReader>(
        file_.get(),
        io::RecordReaderOptions::CreateRecordReaderOptions(compression));
  }

  // None at the end.
  std::optional<py::bytes> Next() {
    tstring record;
    Status status;
    {
      py::gil_scoped_release release;
      status = reader_->ReadRecord(&record);
    }
    if (errors::IsOutOfRange(status) ||
        (errors::IsDataLoss(status) && stop_where_cut_off_ && IsCutOff())) {
      return std::nullopt;
    }
    RaiseIfError(status);
    return py::bytes(record.data(), record.size());
  }

 private:
  // Does the file end within the next record?
  bool IsCutOff() const {
    constexpr uint64_t kHead = 12, kFoot = 4;
    uint64_t size = 0;
    if (!Env::Default()->GetFileSize(path_, &size).ok()) return false;
    const uint64_t offset = reader_->TellOffset();
    if (size < offset + kHead) return true;
    char head[kHead];
    absl::string_view bytes;
    if (!file_->Read(offset, kHead, &bytes, head).ok()) return false;
    const bool is_length =
        crc32c::Unmask(core::DecodeFixed32(bytes.data() + 8)) ==
        crc32c::Value(bytes.data(), 8);
    return is_length && core::DecodeFixed64(bytes.data()) >
                            size - std::min(size, offset + kHead + kFoot);
  }

  const std::string path_;
  const bool stop_where_cut_off_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<io::SequentialRecordReader> reader_;
};

// Writes records to a file, which it owns.
class RecordWriter {
 public:
  RecordWriter(const std::string& path, const std::string& compression,
               const std::map<std::string, int64_t>& zlib) {
    const Status opened = Env::Default()->NewWritableFile(path, &file_);
    RaiseIfError(opened);
    io::RecordWriterOptions options =
        io::RecordWriterOptions::CreateRecordWriterOptions(compression);
    SetOptions(zlib, &options.zlib_options);
    writer_ = std::make_unique<io::RecordWriter>(file_.get(), options);
  }
  // Closes the file if it is still open; errors are lost.
  ~RecordWriter() {
    writer_.reset();
    if (file_ != nullptr) file_->Close().IgnoreError();
  }

  void Write(const py::bytes& record) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    PyBytes_AsStringAndSize(record.ptr(), &data, &size);
    // Most records go to a buffer: then no other thread needs to run.
    constexpr Py_ssize_t kLong = 64 << 10;
    std::optional<py::gil_scoped_release> release;
    if (size > kLong) release.emplace();
    const std::lock_guard lock(mu_);
    const Status written = writer_ == nullptr
                               ? IsClosed()
                               : writer_->WriteRecord(absl::string_view(
                                     data, static_cast<size_t>(size)));
    release.reset();
    RaiseIfError(written);
  }

  void Flush() {
    Finish([this]() -> Status {
      return writer_ == nullptr ? IsClosed() : writer_->Flush();
    });
  }

  void Close() {
    Finish([this]() -> Status {
      if (writer_ == nullptr) return Status();
      Status closed = writer_->Close();
      writer_.reset();
      closed.Update(file_->Close());
      file_.reset();
      return closed;
    });
  }

 private:
  static Status IsClosed() {
    return errors::FailedPrecondition(
        "Writer not initialized or previously "
        "closed");
  }

  // Runs fn without the GIL, which another thread may wait for within Write.
  template <typename Fn>
  void Finish(const Fn& fn) {
    Status status;
    {
      py::gil_scoped_release release;
      const std::lock_guard lock(mu_);
      status = fn();
    }
    RaiseIfError(status);
  }

  static void SetOptions(const std::map<std::string, int64_t>& from,
                         io::ZlibCompressionOptions* to) {
    const std::map<std::string, int8_t*> small = {
        {"flush_mode", &to->flush_mode},
        {"window_bits", &to->window_bits},
        {"compression_level", &to->compression_level},
        {"compression_method", &to->compression_method},
        {"mem_level", &to->mem_level},
        {"compression_strategy", &to->compression_strategy},
    };
    for (const auto& [name, value] : from) {
      if (name == "input_buffer_size") {
        to->input_buffer_size = value;
      } else if (name == "output_buffer_size") {
        to->output_buffer_size = value;
      } else if (const auto found = small.find(name); found != small.end()) {
        // zlib refuses numbers that it does not know.
        *found->second =
            static_cast<int8_t>(std::clamp<int64_t>(value, -128, 127));
      }
    }
  }

  std::mutex mu_;
  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<io::RecordWriter> writer_;
};

}  // namespace

void BindEvents(py::module_& module) {
  py::class_<Writer>(module, "EventsWriter")
      .def(py::init<const std::string&, const std::string&, int64_t, double>(),
           py::arg("prefix"), py::arg("suffix"), py::arg("max_queue"),
           py::arg("flush_secs"))
      .def("add_event", &Writer::AddEvent)
      .def("add_summary", &Writer::AddSummary)
      .def("flush", &Writer::Flush)
      .def("close", &Writer::Close)
      .def_property_readonly("filename", &Writer::filename);
  py::class_<Reader>(module, "RecordReader")
      .def(py::init<const std::string&, const std::string&, bool>(),
           py::arg("path"), py::arg("compression") = "",
           py::arg("stop_where_cut_off") = false)
      .def("next", &Reader::Next);
  py::class_<RecordWriter>(module, "RecordWriter")
      .def(py::init<const std::string&, const std::string&,
                    const std::map<std::string, int64_t>&>(),
           py::arg("path"), py::arg("compression") = "",
           py::arg("zlib") = std::map<std::string, int64_t>())
      .def("write", &RecordWriter::Write)
      .def("flush", &RecordWriter::Flush)
      .def("close", &RecordWriter::Close);
}

}  // namespace tensorwright::pywrap
