// SPDX-License-Identifier: Apache-2.0
// The functions that mutants.so exports, and those that its parts share.
#include "tools/mutate/mutants.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "core/framework/decorators.h"
#include "core/lib/core/errors.h"

namespace tensorwright::mutate {
namespace {

uint64_t Mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t HashOf(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return Mixed(hash);
}

// A kernel with a fault around it.
class FaultyKernel final : public OpKernel {
 public:
  FaultyKernel(OpKernelConstruction* construction,
               std::unique_ptr<OpKernel> inner,
               std::shared_ptr<const Fault> fault)
      : OpKernel(construction),
        inner_(std::move(inner)),
        fault_(std::move(fault)) {}

  void Compute(OpKernelContext* ctx) override {
    fault_->Compute(inner_.get(), ctx);
  }
  bool IsExpensive() override { return inner_->IsExpensive(); }

 private:
  const std::unique_ptr<OpKernel> inner_;
  const std::shared_ptr<const Fault> fault_;
};

class FaultyAsyncKernel final : public AsyncOpKernel {
 public:
  FaultyAsyncKernel(OpKernelConstruction* construction,
                    std::unique_ptr<OpKernel> inner,
                    std::shared_ptr<const Fault> fault)
      : AsyncOpKernel(construction),
        inner_(std::move(inner)),
        fault_(std::move(fault)) {}

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    if (auto other = fault_->Instead(*inner_, ctx)) {
      OpKernelContext* context = &*other->context;
      const std::shared_ptr<OtherCall> call = std::move(other);
      inner_->AsAsync()->ComputeAsync(context,
                                      [ctx, call, done = std::move(done)] {
                                        call->End(ctx);
                                        done();
                                      });
      return;
    }
    inner_->AsAsync()->ComputeAsync(ctx, [this, ctx, done = std::move(done)] {
      if (ctx->status().ok()) fault_->Ended(ctx);
      done();
    });
  }
  bool IsExpensive() override { return inner_->IsExpensive(); }

 private:
  const std::unique_ptr<OpKernel> inner_;
  const std::shared_ptr<const Fault> fault_;
};

}  // namespace

void OtherCall::End(OpKernelContext* ctx) {
  ctx->SetStatus(context->status());
  *ctx->is_output_dead() = *context->is_output_dead();
}

uint64_t Mutant::Pick(uint64_t n) const {
  const uint64_t first = HashOf(op) % n;
  if (n == 1 || number == 0) return first;
  return (first + 1 + Mixed(HashOf(op) + number) % (n - 1)) % n;
}

uint64_t Mutant::Turn(uint64_t n) const {
  return (HashOf(op) % n + number) % n;
}

void PutAround(const std::string& op, std::shared_ptr<const Fault> fault) {
  SetKernelDecorator(
      op,
      [fault](OpKernelConstruction* construction,
              std::unique_ptr<OpKernel> made) -> std::unique_ptr<OpKernel> {
        if (construction->device_type().type_string() != DEVICE_CPU) {
          return made;
        }
        if (made->AsAsync() != nullptr) {
          return std::make_unique<FaultyAsyncKernel>(construction,
                                                     std::move(made), fault);
        }
        return std::make_unique<FaultyKernel>(construction, std::move(made),
                                              fault);
      });
}

std::string RuleOf(absl::string_view message) {
  for (absl::string_view end : {", got ", " got ", ", but ", " but "}) {
    message = message.substr(0, message.find(end));
  }
  const auto is_letter = [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c));
  };
  std::vector<std::string> words(1);
  // A test writes its files to another place each time, and what is quoted is a
  // name or a value of the one call.
  bool in_path = false, in_quotes = false;
  for (size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    const bool begins = i == 0 || !is_letter(message[i - 1]);
    in_path = in_path ? !absl::ascii_isspace(c) : c == '/' && begins;
    if (c == '\'' && (in_quotes || begins)) in_quotes = !in_quotes;
    if (is_letter(c) && !in_path && !in_quotes) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  static const auto* const dtypes = new absl::flat_hash_set<std::string>(
      {"bfloat", "bool", "complex", "double", "float", "half", "int", "qint",
       "quint", "resource", "string", "uint", "variant", "INVALID"});
  std::string rule;
  for (const std::string& word : words) {
    if (word.empty() || dtypes->contains(word)) continue;
    if (!rule.empty()) rule += ' ';
    rule += word;
  }
  return rule.substr(0, 100);
}

}  // namespace tensorwright::mutate

extern "C" {

// Makes the mutant in this process, for good.  Returns nullptr, or the fault of
// the request, to be read before the thread's next call.
const char* tensorwright_mutate(const char* op, const char* kind,
                                uint64_t number, const char* argument) {
  using namespace tensorwright;  // NOLINT: of this function alone.
  const mutate::Mutant mutant{op, kind, number, argument};
  Status status = mutate::MakeShapeFnWrong(mutant);
  if (status.ok()) status = mutate::MakeKernelsWrong(mutant);
  if (status.ok()) return nullptr;
  static thread_local std::string text;
  text = std::string(status.message());
  return text.c_str();
}

// See RecordTo.
void tensorwright_record(const char* file) {
  tensorwright::mutate::RecordTo(file);
}

}  // extern "C"
