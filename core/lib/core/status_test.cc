// SPDX-License-Identifier: Apache-2.0
#include "core/lib/core/status.h"

#include <cerrno>
#include <memory>

#include "absl/strings/cord.h"
#include "core/lib/core/absl_status.h"
#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// A class that abseil's StrCat does not take.
struct Opaque {};
std::ostream& operator<<(std::ostream& os, Opaque) { return os << "opaque"; }

Status Fails() { return errors::NotFound("no ", 7, " of ", 1.5, Opaque()); }

StatusOr<int> Half(int x) {
  if (x % 2 != 0) return errors::InvalidArgument("odd: ", x);
  return x / 2;
}

StatusOr<int> Quarter(int x) {
  TF_ASSIGN_OR_RETURN(const int half, Half(x));
  TF_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(StatusTest, DefaultIsOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status(), Status::OK());
  EXPECT_EQ(OkStatus().ToString(), "OK");
}

TEST(StatusTest, ErrorsConcatenateAnythingPrintable) {
  const Status s = Fails();
  EXPECT_EQ(s.code(), error::NOT_FOUND);
  EXPECT_TRUE(errors::IsNotFound(s));
  EXPECT_EQ(s.error_message(), "no 7 of 1.5opaque");
  EXPECT_EQ(s.ToString(), "Not found: no 7 of 1.5opaque");
}

TEST(StatusTest, AbslsNamesAreTheSameClass) {
  const auto mixed = [](int n) {
    if (n == 0) return Status::OK();
    if (n == 1) return absl::NotFoundError("none");
    TF_RETURN_IF_ERROR(Fails());
    return absl::OkStatus();
  };
  EXPECT_TRUE(mixed(0).ok());
  EXPECT_TRUE(absl::IsNotFound(mixed(1)));
  EXPECT_EQ(mixed(2), Fails());
  EXPECT_EQ(mixed(1).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(absl::StatusCodeToString(mixed(1).code()), "NOT_FOUND");
}

TEST(StatusTest, AnOkCodeHasNoMessage) {
  const Status s(error::OK, "ignored");
  EXPECT_TRUE(s.ok());
  EXPECT_EQ(s, OkStatus());
  EXPECT_EQ(s.message(), "");
}

TEST(StatusTest, PayloadsAreReplacedCopiedAndErased) {
  Status s = Fails();
  s.SetPayload("a", "1");
  s.SetPayload("b", absl::Cord("2"));
  s.SetPayload("a", "3");
  const Status copy = s;
  EXPECT_EQ(copy.GetPayload("a"), "3");
  EXPECT_EQ(copy.GetPayload("b"), "2");
  EXPECT_NE(copy, Fails());
  EXPECT_TRUE(s.ErasePayload("a"));
  EXPECT_FALSE(s.ErasePayload("a"));
  EXPECT_EQ(s.GetPayload("a"), std::nullopt);
  EXPECT_NE(s, copy);
  Status ok;
  ok.SetPayload("a", "1");
  EXPECT_EQ(ok, OkStatus());
}

TEST(StatusTest, StatusOrHoldsWhatItIsGiven) {
  const StatusOr<std::unique_ptr<int>> p = std::make_unique<int>(3);
  EXPECT_EQ(**p, 3);
  StatusOr<std::string> text("abc");
  EXPECT_EQ(text->size(), 3);
  EXPECT_EQ(std::move(text).value(), "abc");
  EXPECT_EQ(Half(3).value_or(7), 7);
  EXPECT_EQ(StatusOr<int64_t>(Half(4)).value(), 2);
  EXPECT_TRUE(errors::IsInternal(StatusOr<int>(OkStatus()).status()));
  EXPECT_TRUE(errors::IsUnknown(StatusOr<int>().status()));
}

TEST(StatusDeathTest, ValueOfAFailureEndsTheProcess) {
  EXPECT_DEATH(*Half(3), "odd: 3");
}

TEST(StatusTest, AssignOrReturnPassesErrorsOn) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Status(Quarter(6).status()).error_message(), "odd: 3");
}

TEST(StatusTest, UpdateKeepsTheFirstFailure) {
  Status s;
  s.Update(errors::Aborted("first"));
  s.Update(errors::Internal("second"));
  EXPECT_TRUE(errors::IsAborted(s));
}

TEST(StatusTest, NodeIsAttachedOnceAndSurvivesNewText) {
  Status s = errors::AttachNode(Fails(), "a/b");
  s = errors::AttachNode(s, "c");
  errors::AppendToMessage(&s, "while ", 3);
  EXPECT_EQ(errors::FailedNode(s), "a/b");
  EXPECT_EQ(s.error_message(), "no 7 of 1.5opaque\n\twhile 3");
  EXPECT_EQ(errors::FailedNode(OkStatus()), "");
}

TEST(StatusTest, ErrnoHasItsCode) {
  EXPECT_TRUE(errors::IsNotFound(errors::IOError("x", ENOENT)));
  EXPECT_TRUE(errors::IsPermissionDenied(errors::IOError("x", EACCES)));
  EXPECT_EQ(errors::IOError("x", ENOENT).error_message(),
            "x; No such file or directory");
}

// A failed StatusOr whose status is moved out of it has no value to destroy.
TEST(StatusOr, GivesItsStatusAwayWithoutAValue) {
  const auto fail = [] {
    return StatusOr<std::vector<int>>(errors::NotFound("nothing here"));
  };
  EXPECT_EQ(fail().status().code(), error::NOT_FOUND);
  StatusOr<std::string> text = std::string(100, 'x');
  EXPECT_TRUE(std::move(text).status().ok());
  text = errors::Internal("gone");
  EXPECT_EQ(text.status().code(), error::INTERNAL);
  text = std::string("back");
  EXPECT_EQ(*text, "back");
  StatusOr<std::string> copy = text;
  copy = StatusOr<std::string>(errors::Aborted("no"));
  EXPECT_FALSE(copy == text);
  copy.emplace(3, 'y');
  EXPECT_EQ(copy.value(), "yyy");
}

}  // namespace
}  // namespace tensorwright
