//===- GroupCostTest.cpp - prices of streamed groups ----------------------===//
//
// Here all commands of all slices are jobs, in the order of the program, each
// with the jobs that it waits for; nothing is shared with GroupCost but the
// costs of single commands and the places.
//
//===----------------------------------------------------------------------===//

#include "passes/tpu/GroupCost.h"

#include "dialects/tpu/Tpu.h"
#include "dialects/tpu/recipe/Price.h"
#include "runtime/chips/Chips.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {

/// The commands of one load, one op or one store.
struct Job {
  bool isMoving = false;
  int64_t cycles = 0;
  std::vector<size_t> after = {}; ///< jobs before it
  int64_t end = 0;
};

/// The group of one function, in slices.
class Streamed {
public:
  Streamed(const Chip &chip, const GroupView &view, const Tiling &tiling,
           const GroupFootprint &footprint, const SlicePlan &slice)
      : chip(chip), view(view), tiling(tiling), cost(chip),
        footprint(footprint), places(placeGroup(chip, view, tiling, footprint)),
        slice(slice) {}

  bool fits() const { return places.has_value(); }
  GroupPrice price() { return *cost.ofSlices(view, footprint, tiling); }
  /// All jobs, done.
  std::vector<Job> jobs();

private:
  struct Move {
    int64_t step; ///< among those of all slices; below 0: before the first
    int64_t slice;
    size_t reader, buffer;
  };
  int64_t ops() const { return int64_t(view.ops.size()); }
  std::vector<Move> loads();
  void addOp(int64_t slice, size_t op, std::vector<Job> &jobs);
  bool overlap(size_t a, size_t b) const {
    const BufferPlace &x = (*places)[a], &y = (*places)[b];
    return x.local < y.local + y.bytes && y.local < x.local + x.bytes;
  }
  bool isOf(size_t buffer, size_t op) const {
    return !footprint.buffers[buffer].isLoaded() &&
           size_t(footprint.buffers[buffer].owner) == op;
  }

  const Chip &chip;
  const GroupView &view;
  Tiling tiling;
  GroupCost cost;
  const GroupFootprint &footprint;
  std::optional<std::vector<BufferPlace>> places;
  const SlicePlan &slice;
  std::map<std::pair<int64_t, size_t>, size_t> loaded; ///< slice, buffer
  std::vector<std::pair<size_t, size_t>> stored;       ///< job, op
  std::optional<size_t> lastOp;                        ///< job
};

std::vector<Streamed::Move> Streamed::loads() {
  std::vector<Move> moves;
  for (int64_t s = 0; s < tiling.slices(); ++s)
    for (size_t i = 0; i < footprint.buffers.size(); ++i) {
      const BufferPlace &place = (*places)[i];
      if (!footprint.buffers[i].isLoaded() || (place.held && s > 0))
        continue;
      EXPECT_GE(place.load, -ops()); // a slice ahead at most
      moves.push_back({s * ops() + std::min(place.load, ops() - 1), s,
                       firstReaderOf(view, footprint.buffers[i]), i});
    }
  // Of two at one step first what this slice wants, then by who wants it.
  std::stable_sort(moves.begin(), moves.end(),
                   [](const Move &a, const Move &b) {
                     return std::tie(a.step, a.slice, a.reader) <
                            std::tie(b.step, b.slice, b.reader);
                   });
  return moves;
}

void Streamed::addOp(int64_t slice, size_t op, std::vector<Job> &jobs) {
  Job computing{false, priceOf(view.ops[op].op, chip,
                               this->slice.tiles[view.resultOf(op)])
                           ->cycles};
  for (size_t i = 0; i < footprint.buffers.size(); ++i)
    if (footprint.buffers[i].isLoaded() &&
        firstReaderOf(view, footprint.buffers[i]) == op)
      computing.after.push_back(loaded.at({(*places)[i].held ? 0 : slice, i}));
  // What it writes over has been stored.
  for (auto [job, by] : stored)
    for (size_t i = 0; i < footprint.buffers.size(); ++i)
      for (size_t k = 0; k < footprint.buffers.size(); ++k)
        if (footprint.buffers[i].kind == GroupBuffer::Result && isOf(i, by) &&
            isOf(k, op) && overlap(i, k))
          computing.after.push_back(job);
  lastOp = jobs.size();
  jobs.push_back(computing);
  Job storing{true};
  for (size_t i = 0; i < view.outputs.size(); ++i)
    if (view.outputs[i] == view.resultOf(op))
      storing.cycles +=
          cost.storeOf(view.value(view.outputs[i]), this->slice.stores[i]);
  if (storing.cycles == 0)
    return;
  storing.after = {*lastOp};
  stored.emplace_back(jobs.size(), op);
  jobs.push_back(storing);
}

std::vector<Job> Streamed::jobs() {
  std::vector<Job> jobs;
  std::vector<Move> moves = loads();
  size_t next = 0;
  std::vector<GroupBuffer> buffers = enumerateBuffers(chip, view, slice);
  int64_t steps = tiling.slices() * ops();
  for (int64_t step = -ops(); step < steps; ++step) {
    for (; next < moves.size() && moves[next].step == step; ++next) {
      Job load{true, cost.loadOf(view, buffers[moves[next].buffer])};
      // Whatever ran before may have read what lies there.
      if (lastOp)
        load.after = {*lastOp};
      loaded[{moves[next].slice, moves[next].buffer}] = jobs.size();
      jobs.push_back(load);
    }
    if (step >= 0)
      addOp(step / ops(), size_t(step % ops()), jobs);
  }
  EXPECT_EQ(next, moves.size());
  int64_t engines[2] = {0, 0};
  for (Job &job : jobs) {
    int64_t &engine = engines[job.isMoving];
    for (size_t before : job.after)
      engine = std::max(engine, jobs[before].end);
    job.end = engine += job.cycles;
  }
  return jobs;
}

class GroupCostTest : public testing::Test {
protected:
  GroupCostTest() { context.loadDialect<func::FuncDialect, TpuDialect>(); }

  GroupView view(const std::string &signature, const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(" + signature + " {\n" + body + "\n}", &context);
    EXPECT_TRUE(module);
    auto func = *module->getOps<func::FuncOp>().begin();
    std::vector<Operation *> ops;
    for (Operation &op : func.getBody().front().without_terminator())
      ops.push_back(&op);
    return viewOps(chip, ops);
  }

  /// Prices of slices beside what their jobs take; gives how many fit.
  size_t check(const GroupView &view, unsigned axis,
               std::initializer_list<int64_t> counts);

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  const Chip &chip = *chips::find("BM1684X");
};

size_t GroupCostTest::check(const GroupView &view, unsigned axis,
                            std::initializer_list<int64_t> counts) {
  size_t checked = 0;
  for (int64_t count : counts) {
    Tiling tiling;
    tiling.counts[axis] = count;
    tiling.isStreamed = true;
    auto footprint = measureGroup(chip, view, tiling.counts, /*exact=*/true);
    auto slice = planMiddleSlice(chip, view, tiling.counts);
    if (!footprint || !slice)
      continue;
    Streamed group(chip, view, tiling, *footprint, *slice);
    if (!group.fits())
      continue;
    ++checked;
    int64_t end = 0, moving = 0, computing = 0;
    for (const Job &job : group.jobs()) {
      end = std::max(end, job.end);
      (job.isMoving ? moving : computing) += job.cycles;
    }
    GroupPrice price = group.price();
    EXPECT_EQ(price.cycles, end) << count;
    EXPECT_EQ(price.moving, moving) << count;
    // Neither faster than one engine alone, nor slower than one by one.
    EXPECT_GE(price.cycles, std::max(moving, computing)) << count;
    EXPECT_LE(price.cycles, moving + computing) << count;
  }
  return checked;
}

} // namespace

TEST_F(GroupCostTest, StreamsImagesAsTheirJobsRun) {
  // A concatenation of channels takes an image at a time.
  for (int64_t images : {1, 2, 3, 4, 12}) {
    auto type = [&](int64_t channels) {
      return inWords("tensor<", images, "x", channels, "x40x40xf32>");
    };
    const std::string half = type(64), whole = type(128);
    GroupView group =
        view("%x: " + half + ") -> " + whole,
             "%0 = tpu.unary abs %x : " + half +
                 "\n%1 = tpu.unary neg %0 : " + half +
                 "\n%2 = tpu.concat %0, %1 axis 1 : (" + half + ", " + half +
                 ") -> " + whole + "\n%3 = tpu.unary relu %2 : " + whole +
                 "\nreturn %3 : " + whole);
    EXPECT_EQ(check(group, 0, {images}), 1u);
  }
}

/// Rows with borders, constants that are held, and two results.
TEST_F(GroupCostTest, StreamsRowsAsTheirJobsRun) {
  GroupView group = view(
      "%x: tensor<1x3x320x320xf32>) -> (tensor<1x16x160x160xf32>, "
      "tensor<1x16x160x160xf32>)",
      "%w0 = tpu.weight dense<0.5> : tensor<16x3x3x3xf32>\n"
      "%w1 = tpu.weight dense<0.5> : tensor<16x1x3x3xf32>\n"
      "%0 = tpu.conv %x, %w0 strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] "
      "group 1 : tensor<1x3x320x320xf32>, tensor<16x3x3x3xf32> -> "
      "tensor<1x16x160x160xf32>\n"
      "%1 = tpu.unary relu %0 : tensor<1x16x160x160xf32>\n"
      "%2 = tpu.conv %1, %w1 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] "
      "group 16 : tensor<1x16x160x160xf32>, tensor<16x1x3x3xf32> -> "
      "tensor<1x16x160x160xf32>\n"
      "%3 = tpu.unary relu %2 : tensor<1x16x160x160xf32>\n"
      "return %1, %3 : tensor<1x16x160x160xf32>, tensor<1x16x160x160xf32>");
  EXPECT_EQ(check(group, 2, {2, 3, 4, 5, 8, 10, 16, 20, 40}), 9u);
}

/// What each slice loads and stores is most of its time.
TEST_F(GroupCostTest, StreamsWhatMovesMost) {
  GroupView group =
      view("%x: tensor<8x64x64x64xf16>, %y: tensor<8x64x64x64xf16>) -> "
           "tensor<8x64x64x64xf16>",
           "%0 = tpu.binary add %x, %y : tensor<8x64x64x64xf16>, "
           "tensor<8x64x64x64xf16> -> tensor<8x64x64x64xf16>\n"
           "return %0 : tensor<8x64x64x64xf16>");
  EXPECT_EQ(check(group, 0, {1, 2, 4, 8}), 4u);
}
