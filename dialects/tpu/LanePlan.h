//===- LanePlan.h - which values of a group share lanes ---------*- C++ -*-===//
//
// In local memory a concatenation of channels is an address: its operands are
// made where it lies, each from its own lane on. Plain arithmetic on numbers
// of values, so that the search can ask while a group grows.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_LANEPLAN_H
#define WEFT_DIALECTS_TPU_LANEPLAN_H

#include <cstdint>
#include <map>
#include <vector>

namespace weft::tpu {

/// Where a value lies in local memory.
struct LanePlace {
  int home = 0;     ///< the value whose room it lies in, often itself
  int64_t lane = 0; ///< of its first channel
  int64_t row = 0;  ///< of its first channel, among the room's channels a lane
  int64_t rows = 0; ///< channels a lane that the room of the home holds
  bool isShared = false; ///< the room holds other values as well
};

/// Collects what the ops of a group ask of the lanes that values begin in. What
/// is once contradictory stays so.
class LanePlan {
public:
  explicit LanePlan(int64_t lanes) : lanes(lanes), nodes(1), rooms(1) {}

  /// A new value; `isMade` if bytes are written for it, by an op or a load, not
  /// only for its parts or for what it is a part of.
  int addValue(int64_t channels, bool isMade);
  /// Channel 0 of `part` is channel `channel` of `whole` (which is what is part
  /// of the other if `channel` is negative).
  void placeInside(int part, int whole, int64_t channel);
  /// Both begin in one lane.
  void align(int a, int b) { relate(a, b, 0); }
  /// A tensor of every lane goes with the value: it begins in lane 0.
  void alignToFirstLane(int value) { relate(value, -1, 0); }

  /// False if no places satisfy all that was asked for.
  bool isPossible() const { return possible; }
  /// Channels of the room that `value` lies in.
  int64_t channelsOfRoom(int value);
  /// A value that stands for all in the room.
  int roomOf(int value);
  /// Of every value; only if possible. The widest rooms begin in lane 0 where
  /// nothing speaks against it.
  std::vector<LanePlace> places();

private:
  static constexpr int kNone = -1;
  /// Of one value; number 0 stands for lane 0.
  struct Node {
    int64_t channels = 0;
    int room = 0; ///< union-find by parents: channel relative to the parent
    int64_t channel = 0;
    int alignment = 0; ///< the same by lanes
    int64_t lane = 0;
    int next = kNone; ///< in the list of the members of a room
    int contents = 0; ///< of a room, at its root
  };
  /// What a room holds, kept up to date as rooms are joined, so that a group of
  /// n values costs n log n while it grows, not its size at each step. Channels
  /// are relative to the room's root.
  struct Contents {
    int last = 0;               ///< member; the root is the first
    int64_t begin = 0, end = 0; ///< of all members
    /// Those that are made, begin to end, `shift` short of where they lie: so
    /// the smaller of two maps can be put into the larger one.
    std::map<int64_t, int64_t> made;
    int64_t shift = 0;
  };
  struct Found {
    int root;
    int64_t offset;
  };
  Found findRoom(int node);
  Found findAlignment(int node);
  /// Lane of a = lane of b + difference.
  void relate(int a, int b, int64_t difference);
  Contents &contentsOf(int root) { return rooms[nodes[root].contents]; }
  bool join(int outer, int inner, int64_t offset);

  int64_t lanes;
  std::vector<Node> nodes;
  std::vector<Contents> rooms;
  bool possible = true;
};

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_LANEPLAN_H
