//===- DmaParts.cpp - what commands of dma and hau are made of ------------===//

#include "runtime/ppl/commands/DmaParts.h"

using namespace weft;
using namespace weft::commands;

Operand commands::partOf(const Expansion &e, const Operand &tensor,
                         const Dims &offset, const Dims &shape) {
  return tensor.shape == shape ? tensor
                               : e.part(tensor, offset, shape, tensor.strides);
}

Operand commands::seenAs(const Expansion &e, const Operand &tensor,
                         const Dims &shape, const Dims &strides) {
  return e.part(tensor, {}, shape, strides);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Gather or scatter with what both have.
static void rowsCommand(Expansion &e, isa::GdmaType type, const Operand &dst,
                        const Operand &rows, const Operand &index,
                        std::optional<uint32_t> fill) {
  GdmaCommand command(e);
  if (fill)
    command.set(Field::constant_value, *fill);
  command.reads(rows).format(Field::src_data_format, rows).writes(dst);
  command.bind(Field::index_start_addr_l32, Field::index_start_addr_h8, index,
               true, false);
  for (auto [side, tensor] :
       {std::pair(&kSource, &rows), std::pair(&kDestination, &dst)}) {
    for (int axis : {1, 2, 3})
      command.set(side->sizes[axis], tensor->shape[axis]);
    for (int axis : {1, 2})
      command.set(side->strides[axis], tensor->strides[axis]);
  }
  command.set(Field::index_csize, index.shape[1])
      .set(Field::index_hsize, index.shape[2])
      .set(Field::index_cstride, index.strides[1])
      .set(Field::index_hstride, index.strides[2])
      .set(Field::stride_enable, 1)
      .make(type, isa::gdma::Single);
}

void commands::gatherRows(Expansion &e, const Operand &dst, const Operand &rows,
                          const Operand &index, double fill) {
  rowsCommand(e, isa::GdmaType::Gather, dst, rows, index,
              elementBits(dst.type, fill));
}

void commands::scatterRows(Expansion &e, const Operand &dst,
                           const Operand &rows, const Operand &index) {
  rowsCommand(e, isa::GdmaType::Scatter, dst, rows, index, std::nullopt);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

void commands::selectMasked(Expansion &e, const Operand &dst,
                            const Operand &src, const Operand &mask) {
  GdmaCommand command(e);
  command.sizes(kSource, src.shape)
      .format(Field::src_data_format, src)
      .format(Field::mask_data_format, mask)
      .reads(src)
      .bind(Field::mask_start_addr_l32, Field::mask_start_addr_h8, mask, true,
            false)
      .updates(dst)
      .make(isa::GdmaType::MaskedSelect, isa::gdma::Single);
}

void commands::listNonzero(Expansion &e, const Operand &dst, const Operand &src,
                           int64_t base) {
  GdmaCommand command(e);
  command.sizes(kSource, src.shape)
      .format(Field::src_data_format, src)
      .format(Field::index_data_format, dst)
      .set(Field::dst_nstride_base_i, int64_t(uint32_t(base)))
      .reads(src)
      .updates(dst)
      .make(isa::GdmaType::NonZero, isa::gdma::Single);
}
