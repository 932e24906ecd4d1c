//===- DmaRules.h - rules of dma, sdma and hau ----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_ROWS_DMARULES_H
#define WEFT_RUNTIME_PPL_ROWS_DMARULES_H

#include "runtime/catalog/Slots.h"

/// What the rows of rows/Dma.cpp, Sdma.cpp and Hau.cpp say more than once.
namespace weft::catalog {

/// Element types that the chip's DMA engine carries: fp8, tf32 and fp20 on
/// BM1690 only.
Rule carriedTypes(Names names);
/// fp20 lies in blocks of 51 elements: system memory, 128-byte addresses,
/// neighbours side by side.
Rule fp20IsDense(Names names);
/// Both in local memory or both in system memory.
Rule sameSide(std::string_view dst, std::string_view src);
/// `mode`: 0 n and c of dst and src are exchanged, 1 c and w, 2 as the choice
/// `trans_mode` says.
Rule exchangedShapes(int mode);
/// The C/W exchange takes w strides of 1 only; modes as above.
Rule unitWStrideIfCw(int mode);
/// The stride of an axis is 1.
Rule unitStride(Names names, char axis);
/// The w stride is 1 to `bytes` bytes.
Rule wStrideAtMost(Names names, unsigned bytes);
/// The sizes of these axes are 1 to 65535, in system memory as well.
Rule axesFit(Names names, std::string_view axes);
/// What axis dma.reverse may turn.
Rule reversedAxis();
/// Register numbers, element widths and sizes of a vector register move.
std::vector<Rule> vectorRules(const Operation &row);
/// The number is a value of the tensor's type: integers in its range, floats
/// that do not become infinite.
Rule constantFits(std::string_view number, std::string_view tensor);
/// Lanes of dma.broadcast and dma.load_broadcast.
Rule broadcastFits();
/// dma.broadcast: dst lies apart from src or begins with it.
Rule broadcastInPlace();
/// Shapes of a gather or scatter of rows; `list` has one row an index.
Rule rowShapes(std::string_view list);
/// The same for channels.
Rule channelShapes(std::string_view list);
/// h and w lie without gaps.
Rule densePlanes(Names names);
/// A start position other than 0 exists on some chips within system memory.
Rule startPositionExists(std::string_view name);
/// So does the scatter that adds.
Rule addExists(std::string_view name);
/// Types that the chip can compare with 0: no floats on BM1684X and BM1688.
Rule testedTypes(std::string_view name);
/// System tensors are continuous, local ones N-byte aligned.
Rule linearOrAligned(Names names);
/// dst has at least as many elements as src.
Rule holdsAll(std::string_view dst, std::string_view src);
/// Shapes of dma.mask_batch_bcast.
Rule batchShapes();
/// The row of zero from that of fill, whose last slot and rule are about the
/// constant.
Operation zeroRow(Operation fill, std::string_view name,
                  std::string_view summary, std::string_view example);

/// dma.reduce and sdma.reduce; `from`: memories of src.
Operation reduceRow(std::string_view name, Unit unit, unsigned from);
/// The two message functions of an engine.
std::vector<Operation> messageRows(std::string_view send, std::string_view wait,
                                   Unit unit);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_ROWS_DMARULES_H
