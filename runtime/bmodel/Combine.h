//===- Combine.h - nets and stages of several bmodels -----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_COMBINE_H
#define WEFT_RUNTIME_BMODEL_COMBINE_H

#include "runtime/bmodel/FileParts.h"

namespace weft::rt {

/// One file of all nets of `models`, in their order. Nets of one name become
/// stages of one net, in the order of the models, if they have equal interfaces
/// (names, types, scales) in different shapes. The activation areas of such
/// stages get the size of the largest, because libbmrt computes wrong addresses
/// for a smaller one; the tables remember what each was.
///
/// Time and version are those of the first model, and so is the firmware,
/// unless only a later one has any.
/// Code::InvalidArgument, beginning with the path of the later model: another
/// chip, device count or kind of file, other firmware, a net of a name and
/// shapes that an earlier model has, or of another interface.
/// Code::OutOfRange: the larger areas do not fit into DRAM, or all tables
/// together not into a flatbuffer.
Result<FileParts> combine(const std::vector<Bmodel> &models);

/// A file of net `net` of `model` alone, with the stages `stages` (in this
/// order, none twice; empty: all), whose activation areas are as large as the
/// largest of them needs. A stage that relied on the conversion record of an
/// earlier one gets it. Both must exist. Code::OutOfRange as of combine().
Result<FileParts> extract(const Bmodel &model, const NetSpec &net,
                          const std::vector<size_t> &stages);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_COMBINE_H
