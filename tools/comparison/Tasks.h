//===- Tasks.h - what an output is used for ---------------------*- C++ -*-===//
//
// A cosine does not say whether a class, a text or a box is the same. These
// figures do: the answer that is read from the program's output, held against
// the one that is read from the reference's, or against a label.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_COMPARISON_TASKS_H
#define WEFT_TOOLS_COMPARISON_TASKS_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"
#include "tools/comparison/Limits.h"

#include <optional>
#include <string_view>
#include <vector>

namespace weft::comparison {

/// Of floats, by layout:
///  * Top1, Top5: classes on the last axis that is not 1, other axes are rows.
///    The class of a row is that of its largest number, of equal ones the
///    first.
///  * Ctc: [T,C] or [N,T,C], of N = 1 also [T,1,C]: a class at each of T steps.
///    The text is the largest of each, repetitions as one, without the blank.
///  * Detection: [N,4..6] or [1,N,4..6]: x1,y1,x2,y2[,score[,class]], x1 <= x2,
///    y1 <= y2. Boxes of a score of kLeastScore.
///  * Mask: [N,C,H,W] of C > 1 classes, the largest of which a pixel has; else
///    a pixel is in the mask if it is above .5, or above 0 if the reference has
///    numbers outside of 0..1 (logits).
///  * Embedding: a vector, of any shape.
enum class Task : uint8_t { Top1, Top5, Ctc, Detection, Mask, Embedding };

/// "top1", "top5", "ctc", "detection", "mask", "embedding".
const char *taskName(Task task);
std::optional<Task> findTask(std::string_view name);
/// The names, with commas.
std::string taskNames();

/// Boxes below are none.
inline constexpr double kLeastScore = 0.5;
/// Boxes that overlap less are different ones.
inline constexpr double kLeastOverlap = 0.5;

struct TaskOptions {
  /// Of Ctc: the class that stands for no character; -1: the last.
  int64_t blank = 0;
};

/// How far the answers of `result` are those of `reference`, from 0 to 1:
///  * Top1, Top5: share of rows in which the reference's class is the result's
///    first, or among its first five;
///  * Ctc: 1 - edits from the reference's text to the result's by the length of
///    the reference's, at least 0; mean of the texts;
///  * Detection: 2 * pairs / boxes on both sides. A pair overlaps (intersection
///    by union) by kLeastOverlap and has one class; the largest overlaps first;
///  * Mask: intersection by union, mean of the classes that either side has;
///  * Embedding: cosine, at least 0.
/// std::nullopt where neither side has an answer (no box, no text). Code::
/// ShapeMismatch says which layout the task takes; BadFile that a number is NaN
/// or a box is none.
rt::Result<std::optional<double>>
agreement(Task task, const numeric::HostTensor &result,
          const numeric::HostTensor &reference,
          const TaskOptions &options = {});

/// Whether `output` gives `label`: 0 or 1 for Top1 and Top5, for Ctc as in
/// agreement(). `label` is a class for Top1 and Top5, classes with spaces
/// between them for Ctc. Of one row, or one text. Code::Unsupported for other
/// tasks, InvalidArgument if `label` is none.
rt::Result<double> accuracy(Task task, const numeric::HostTensor &output,
                            std::string_view label,
                            const TaskOptions &options = {});

/// Share of vectors whose nearest other vector, by cosine, is the same among
/// `results` as among `references`. Of at least 3 of each.
double neighbourAgreement(const std::vector<std::vector<double>> &results,
                          const std::vector<std::vector<double>> &references);

/// The mean agreement that a program of `precision` must have.
double leastAgreement(Precision precision);

} // namespace weft::comparison

#endif // WEFT_TOOLS_COMPARISON_TASKS_H
