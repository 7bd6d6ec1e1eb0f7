// SPDX-License-Identifier: Apache-2.0
// Collectives.
#include "core/distributed_runtime/mpi/collectives.h"

#include <algorithm>
#include <string>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace mpi {
namespace {

// MPI counts in int.
constexpr int64_t kMostElements = int64_t{1} << 30;

char* OutputOf(const Request& request) {
  return const_cast<char*>(request.output.tensor_data().data());
}

}  // namespace

Status CheckMpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return OkStatus();
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return errors::Unavailable(what, ": ", std::string(text, length));
}

Status Collectives::Initialize() { return arithmetic_.Initialize(); }

void Collectives::Free() {
  arithmetic_.Free();
  for (auto& [group, comm] : comms_) {
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  }
  comms_.clear();
}

Status Collectives::Run(const Order& order,
                        const std::vector<std::shared_ptr<Request>>& requests) {
  MPI_Comm comm;
  TF_RETURN_IF_ERROR(CommOf(order, &comm));
  Request* const first = requests[0].get();
  switch (first->announcement.kind) {
    case Kind::kReduce:
      return Reduce(comm, requests);
    case Kind::kGather:
      return Gather(comm, first);
    case Kind::kSend:
    case Kind::kReceive:
      return Broadcast(comm, order, first);
  }
  return errors::Internal("no such collective");
}

Status Collectives::Gather(MPI_Comm comm, Request* request) {
  const int64_t bytes = request->announcement.bytes;
  if (bytes == 0) return OkStatus();
  if (bytes > kMostElements) {
    return errors::InvalidArgument("CollectiveGather: input must have at most ",
                                   kMostElements, " bytes, got ", bytes);
  }
  // Rows are one type, since a count of bytes would be too large for an int.
  MPI_Datatype part;
  MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &part);
  MPI_Type_commit(&part);
  const int code = MPI_Allgather(request->input.tensor_data().data(), 1, part,
                                 OutputOf(*request), 1, part, comm);
  MPI_Type_free(&part);
  return CheckMpi(code, "MPI_Allgather");
}

Status Collectives::Broadcast(MPI_Comm comm, const Order& order,
                              Request* request) {
  const auto& members = order.members;
  const int root = static_cast<int>(
      std::find(members.begin(), members.end(), order.root) - members.begin());
  const int64_t bytes = request->announcement.bytes;
  char* const out = OutputOf(*request);
  for (int64_t begin = 0; begin < bytes; begin += kMostElements) {
    const int64_t count = std::min(kMostElements, bytes - begin);
    TF_RETURN_IF_ERROR(CheckMpi(
        MPI_Bcast(out + begin, static_cast<int>(count), MPI_BYTE, root, comm),
        "MPI_Bcast"));
  }
  return OkStatus();
}

Status Collectives::CommOf(const Order& order, MPI_Comm* comm) {
  const int32_t group = GroupOf(order.keys[0]);
  const auto known = comms_.find(group);
  if (known != comms_.end()) {
    *comm = known->second;
    return OkStatus();
  }
  *comm = MPI_COMM_WORLD;
  int world_size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (static_cast<int>(order.members.size()) < world_size) {
    MPI_Group world, members;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(order.members.size()),
                   order.members.data(), &members);
    const int code =
        MPI_Comm_create_group(MPI_COMM_WORLD, members, /*tag=*/0, comm);
    MPI_Group_free(&members);
    MPI_Group_free(&world);
    TF_RETURN_IF_ERROR(CheckMpi(code, "MPI_Comm_create_group"));
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
  }
  comms_[group] = *comm;
  return OkStatus();
}

Status Collectives::Reduce(
    MPI_Comm comm, const std::vector<std::shared_ptr<Request>>& requests) {
  const Announcement& first = requests[0]->announcement;
  const DataType dtype = static_cast<DataType>(first.dtype);
  const int64_t size = DataTypeSize(dtype);
  const auto reduce = [&](const void* in, char* out, int64_t bytes) -> Status {
    for (int64_t at = 0; at < bytes; at += kMostElements) {
      const int64_t count = std::min(kMostElements, bytes - at) / size;
      const void* from =
          in == nullptr ? MPI_IN_PLACE : static_cast<const char*>(in) + at;
      TF_RETURN_IF_ERROR(
          CheckMpi(MPI_Allreduce(from, out + at, static_cast<int>(count),
                                 arithmetic_.Type(dtype),
                                 arithmetic_.Op(dtype, first.merge), comm),
                   "MPI_Allreduce"));
    }
    return OkStatus();
  };
  if (requests.size() == 1) {
    Request& request = *requests[0];
    const char* in = request.input.tensor_data().data();
    char* out = OutputOf(request);
    TF_RETURN_IF_ERROR(
        reduce(in == out ? nullptr : in, out, request.announcement.bytes));
  } else {
    fused_.clear();
    for (const auto& request : requests) {
      const auto in = request->input.tensor_data();
      fused_.insert(fused_.end(), in.begin(), in.end());
    }
    TF_RETURN_IF_ERROR(reduce(nullptr, fused_.data(), fused_.size()));
    const char* at = fused_.data();
    for (const auto& request : requests) {
      // A tensor without elements has no memory.
      std::copy_n(at, request->announcement.bytes, OutputOf(*request));
      at += request->announcement.bytes;
    }
  }
  for (const auto& request : requests) {
    if (request->divide) Divide(first.group_size, &request->output);
  }
  return OkStatus();
}

}  // namespace mpi
}  // namespace tensorwright
