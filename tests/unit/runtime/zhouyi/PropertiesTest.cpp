// What holds for every function with all of its types: found by asking the
// catalog which calls are legal, with random numbers, masks and marks.

#include "tests/unit/runtime/zhouyi/VectorCall.h"

#include <random>

using namespace weft;
using namespace weft::zhouyi;
using namespace weft::zhouyi::testing;

namespace {
/// A legal call of one register an operand, with random contents.
class RandomCall {
public:
  RandomCall(const catalog::Call &call, std::mt19937 &random)
      : call(call), kernel(this->call), random(random) {
    for (const KernelOperand &operand : kernel.operands()) {
      Lanes &lanes = operands.emplace_back(operand.type);
      if (operand.origin != Origin::Absent)
        fill(lanes);
    }
  }

  /// Numbers of all sizes; floats are finite and not far from 1, so that no
  /// NaN hides a difference.
  void fill(Lanes &lanes) {
    catalog::Dense dense(lanes.type.type, {1, 1, 1, int64_t(lanes.type.lanes)});
    for (unsigned i = 0; i < lanes.type.lanes; ++i)
      if (isFloat(lanes.type.type))
        dense.setValue(i, double(int(random() % 4096) - 2048) / 16);
      else
        dense.setBits(i, uint64_t(int64_t(int32_t(random()) >> random() % 32)));
    lanes.bytes = dense.bytes;
  }

  MaskLanes randomMask(unsigned lanes) {
    MaskLanes mask(lanes);
    for (uint8_t &lane : mask)
      lane = random() % 4 != 0;
    return mask;
  }

  rt::Result<Lanes> run(const MaskLanes *mask = nullptr) const {
    std::vector<const Lanes *> given;
    for (const Lanes &lanes : operands)
      given.push_back(&lanes);
    return execute(kernel, given, mask);
  }

  catalog::Call call;
  Kernel kernel;
  std::vector<Lanes> operands;
  std::mt19937 &random;
};
} // namespace

/// body(call) for every legal choice of element types of every function;
/// masks are computed ones if `isMasked`, else left out.
template <class Body>
static void everyCall(bool isMasked, Body body) {
  std::mt19937 random(20260101);
  for (const catalog::Operation &operation :
       catalog::operations(catalog::Language::Zhouyi)) {
    std::vector<size_t> slots;
    for (size_t i = 0; i < operation.slots.size(); ++i)
      if (operation.slots[i].kind == catalog::SlotKind::Vector ||
          operation.slots[i].kind == catalog::SlotKind::VectorOrScalar)
        slots.push_back(i);
    size_t combinations = 1, legal = 0;
    for (size_t i = 0; i < slots.size(); ++i)
      combinations *= std::size(kAllTypes);
    for (size_t choice = 0; choice < combinations; ++choice) {
      VectorCall call(operation.name);
      size_t rest = choice;
      for (size_t slot : slots) {
        catalog::DataType type = kAllTypes[rest % std::size(kAllTypes)];
        rest /= std::size(kAllTypes);
        call.shape(operation.slots[slot].name, type, native(type));
      }
      for (std::string_view pointer : {"ptr", "acc_ptr"})
        if (operation.slot(pointer))
          call.pointer(pointer, kF32, all(16, 0));
      if (operation.slot("out_sign") && random() % 2)
        call.outSign(random() % 2 ? 's' : 'u');
      // The mask of half products of acc has the lanes of acc.
      bool isOfAcc = operation.slot("acc") &&
                     (operation.name[0] == 'f' || operation.name[1] == 'f');
      unsigned lanes = call.argument(isOfAcc ? "acc" : "x").vector.lanes;
      if (isMasked && operation.slot("mask"))
        call.maskValue(MaskLanes(lanes, 1));
      if (!call.problem().empty())
        continue;
      ++legal;
      body(RandomCall(call.call, random));
    }
    EXPECT_GT(legal, 0u) << operation.name;
  }
}

static std::string nameOf(const RandomCall &call) {
  std::string text(call.kernel.operation().name);
  for (const KernelOperand &operand : call.kernel.operands())
    text += " " + operand.type.text();
  return text;
}

/// Whether a lane of two results is the same, its mark included.
static bool isSameLane(const Lanes &a, const Lanes &b, unsigned lane) {
  unsigned bytes = bytesOf(a.type.type);
  return a.isDefined(lane) == b.isDefined(lane) &&
         std::equal(a.bytes.begin() + lane * bytes,
                    a.bytes.begin() + (lane + 1) * bytes,
                    b.bytes.begin() + lane * bytes);
}

/// A mask of ones is no mask.
TEST(ZhouyiProperties, fullMaskIsNoMask) {
  everyCall(true, [](RandomCall call) {
    if (!call.kernel.maskLanes())
      return;
    catalog::Call plain = call.call;
    plain.arguments[size_t(plain.operation->slotIndex("mask"))] = Argument();
    RandomCall unmasked(plain, call.random);
    unmasked.operands = call.operands;
    MaskLanes ones(call.kernel.maskLanes(), 1);
    rt::Result<Lanes> a = call.run(&ones), b = unmasked.run();
    ASSERT_TRUE(a.isOk() && b.isOk());
    for (unsigned i = 0; i < a->type.lanes; ++i)
      EXPECT_TRUE(isSameLane(*a, *b, i)) << nameOf(call);
  });
}

/// A known mask and a computed one of the same lanes give the same.
TEST(ZhouyiProperties, knownAndComputedMasksAgree) {
  everyCall(true, [](RandomCall call) {
    if (!call.kernel.maskLanes())
      return;
    MaskLanes mask = call.randomMask(call.kernel.maskLanes());
    catalog::Call known = call.call;
    Argument &argument =
        known.arguments[size_t(known.operation->slotIndex("mask"))];
    argument.text = maskText(mask);
    RandomCall other(known, call.random);
    other.operands = call.operands;
    rt::Result<Lanes> a = call.run(&mask), b = other.run();
    ASSERT_TRUE(a.isOk() && b.isOk());
    EXPECT_EQ(a->bytes, b->bytes) << nameOf(call);
    EXPECT_EQ(a->defined, b->defined) << nameOf(call);
  });
}

/// Inactive lanes of x and y do not matter.
TEST(ZhouyiProperties, inactiveLanesDoNotMatter) {
  everyCall(true, [](RandomCall call) {
    std::string_view name = call.kernel.operation().name;
    // Products of acc's lanes take every other lane of x and y.
    if (!call.kernel.maskLanes() || name == "vfmae" || name == "vfmao")
      return;
    MaskLanes mask = call.randomMask(call.kernel.maskLanes());
    rt::Result<Lanes> a = call.run(&mask);
    for (size_t i = 0; i < call.operands.size(); ++i) {
      std::string_view slot = call.kernel.operands()[i].slot;
      // What inactive lanes are taken from.
      if (slot == "acc" || slot == "r" || (name == "clip" && slot == "x"))
        continue;
      Lanes other(call.operands[i].type);
      call.fill(other);
      unsigned bytes = bytesOf(other.type.type);
      for (unsigned lane = 0; lane < other.type.lanes; ++lane)
        if (!mask[lane])
          std::copy_n(other.bytes.begin() + lane * bytes, bytes,
                      call.operands[i].bytes.begin() + lane * bytes);
    }
    rt::Result<Lanes> b = call.run(&mask);
    ASSERT_TRUE(a.isOk() && b.isOk());
    EXPECT_EQ(a->bytes, b->bytes) << nameOf(call);
    EXPECT_EQ(a->defined, b->defined) << nameOf(call);
  });
}

/// No defined lane of a result depends on an undefined one of an operand, and
/// without marks nothing changes.
TEST(ZhouyiProperties, definedLanesComeFromDefinedLanes) {
  for (bool isMasked : {false, true})
    everyCall(isMasked, [&](RandomCall call) {
      if (!call.kernel.hasResult())
        return;
      MaskLanes mask = call.randomMask(call.kernel.maskLanes());
      const MaskLanes *given = isMasked && !mask.empty() ? &mask : nullptr;
      for (Lanes &lanes : call.operands)
        lanes.defined = call.randomMask(lanes.type.lanes);
      RandomCall other = call;
      for (Lanes &lanes : other.operands) {
        Lanes changed(lanes.type);
        call.fill(changed);
        unsigned bytes = bytesOf(lanes.type.type);
        for (unsigned i = 0; i < lanes.type.lanes; ++i)
          if (!lanes.isDefined(i))
            std::copy_n(changed.bytes.begin() + i * bytes, bytes,
                        lanes.bytes.begin() + i * bytes);
      }
      rt::Result<Lanes> a = call.run(given), b = other.run(given);
      ASSERT_EQ(a.isOk(), b.isOk()) << nameOf(call);
      EXPECT_TRUE(a.isOk() || call.kernel.operation().name == "vrpadd");
      if (!a)
        return;
      EXPECT_EQ(a->bytes, b->bytes) << nameOf(call);
      EXPECT_EQ(a->defined, b->defined) << nameOf(call);
      for (Lanes &lanes : call.operands)
        lanes.defined.assign(lanes.type.lanes, 1);
      rt::Result<Lanes> marked = call.run(given);
      for (Lanes &lanes : call.operands)
        lanes.defined.clear();
      rt::Result<Lanes> plain = call.run(given);
      EXPECT_EQ(marked->bytes, plain->bytes) << nameOf(call);
      EXPECT_EQ(marked->defined, plain->defined) << nameOf(call);
    });
}

/// The result may lie on an operand of its type.
TEST(ZhouyiProperties, resultsInPlace) {
  for (bool isMasked : {false, true})
    everyCall(isMasked, [&](RandomCall call) {
      std::string_view name = call.kernel.operation().name;
      if (!call.kernel.hasResult() || name == "vaddh" || name == "vsubh")
        return;
      MaskLanes mask = call.randomMask(call.kernel.maskLanes());
      const MaskLanes *given = isMasked && !mask.empty() ? &mask : nullptr;
      rt::Result<Lanes> expected = call.run(given);
      ASSERT_TRUE(expected.isOk());
      for (size_t target = 0; target < call.operands.size(); ++target) {
        if (call.operands[target].type != call.kernel.result() ||
            call.kernel.operands()[target].origin != Origin::Register)
          continue;
        std::vector<Lanes> operands = call.operands;
        MaskLanes defined(call.kernel.result().lanes);
        Frame frame;
        for (size_t i = 0; i < operands.size(); ++i)
          frame.sources[i].bytes = operands[i].bytes.data();
        frame.mask = given ? given->data() : nullptr;
        frame.out = operands[target].bytes.data();
        frame.defined = defined.data();
        Outcome outcome = call.kernel.run(frame);
        EXPECT_EQ(outcome == Outcome::Defined, expected->defined.empty());
        EXPECT_EQ(operands[target].bytes, expected->bytes) << nameOf(call);
        if (outcome == Outcome::SomeUndefined) {
          EXPECT_EQ(defined, expected->defined) << nameOf(call);
        }
      }
    });
}
