//===- OutOfMemoryTest.cpp - every allocation fails once ------------------===//
//
// This program's operator new is libweft.so's too. Each call of the C interface
// is repeated with its first, second, third .. allocation failing.
//
//===----------------------------------------------------------------------===//

#include <weft.h>

#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr long kNever = -1;
/// Allocations until one fails; it and all later ones fail.
long allocationsLeft = kNever;

void *allocate(std::size_t bytes, std::size_t alignment) {
  if (allocationsLeft == 0)
    throw std::bad_alloc();
  if (allocationsLeft != kNever)
    --allocationsLeft;
  void *memory = nullptr;
  if (::posix_memalign(&memory, alignment, bytes ? bytes : 1) != 0)
    throw std::bad_alloc();
  return memory;
}

constexpr std::size_t kPlain = alignof(std::max_align_t);

} // namespace

void *operator new(std::size_t bytes) { return allocate(bytes, kPlain); }
void *operator new[](std::size_t bytes) { return allocate(bytes, kPlain); }
void *operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, std::size_t(alignment));
}
// std::stable_sort asks for its buffer in this way and frees it by the plain
// operator delete.
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept {
  if (allocationsLeft == 0)
    return nullptr;
  if (allocationsLeft != kNever)
    --allocationsLeft;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace {

const char kTiny[] = WEFT_TEST_DATA "/vendor-bmodels/tiny_f32.bmodel";

/// Calls until the allocations suffice; returns how often they did not. The
/// last call succeeds.
long failuresOf(const std::function<weft_status *()> &call) {
  for (long allowed = 0; allowed < 100000; ++allowed) {
    allocationsLeft = allowed;
    weft_status *status = call();
    weft_code code = weft_status_code(status);
    bool explained = !status || *weft_status_message(status) != 0;
    allocationsLeft = kNever;
    weft_status_free(status);
    EXPECT_TRUE(explained);
    if (code == WEFT_OK)
      return allowed;
    EXPECT_EQ(code, WEFT_OUT_OF_MEMORY) << "allocation " << allowed;
  }
  ADD_FAILURE() << "the call never succeeds";
  return 0;
}

TEST(CapiMemory, EveryFailedAllocationIsAStatus) {
  weft_model *model = nullptr;
  EXPECT_GT(failuresOf([&] { return weft_model_load(kTiny, &model); }), 10);
  ASSERT_NE(model, nullptr);
  weft_session *session = nullptr;
  EXPECT_GT(failuresOf([&] {
              return weft_session_open(model, "tiny", 0, nullptr, &session);
            }),
            3);
  ASSERT_NE(session, nullptr);
  std::vector<float> x(768, 0.5f), y(4096);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  EXPECT_GT(
      failuresOf([&] { return weft_session_run(session, inputs, outputs); }),
      3);
  // What failed before leaves no trace in the result.
  std::vector<float> again(4096);
  outputs[0] = again.data();
  EXPECT_EQ(weft_session_run(session, inputs, outputs), nullptr);
  EXPECT_EQ(y, again);
  weft_session_free(session);
  weft_model_free(model);
}

TEST(CapiMemory, AFailureThatCannotBeDescribedIsNoSuccess) {
  weft_model *model = nullptr;
  allocationsLeft = 0;
  weft_status *status = weft_model_load(nullptr, &model);
  allocationsLeft = kNever;
  EXPECT_EQ(weft_status_code(status), WEFT_OUT_OF_MEMORY);
  EXPECT_STREQ(weft_status_message(status), "out of memory");
  weft_status_free(status);
}

} // namespace
