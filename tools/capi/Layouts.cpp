//===- Layouts.cpp - the moves that make a layout of L1 -------------------===//

#include "runtime/ascend/Layouts.h"
#include "tools/capi/Status.h"

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace weft;
using capi::guarded;
using capi::toC;
using Json = nlohmann::ordered_json;
using rt::Code;
using rt::Result;
using rt::Status;

static Status refuse(std::string message) {
  return rt::fail(Code::InvalidArgument, std::move(message));
}

static Result<std::vector<ascend::BlockedCopy>>
copiesOf(const weft_ascend_layout &layout) {
  ascend::Matrices matrices = {layout.element_bytes, layout.src,
                               layout.dst,           layout.count,
                               layout.rows,          layout.columns,
                               layout.row_stride,    layout.matrix_stride};
  const int64_t *shape = layout.shape, *begin = layout.begin,
                *size = layout.size;
  ascend::Images images = {layout.element_bytes,
                           layout.src,
                           layout.dst,
                           shape[0],
                           shape[1],
                           shape[2],
                           shape[3]};
  ascend::Box box = {begin[0], begin[1], begin[2], begin[3],
                     size[0],  size[1],  size[2],  size[3]};
  bool areImages = layout.kind == WEFT_NHWC_TO_NC1HWC0 ||
                   layout.kind == WEFT_NHWC_TO_C1HWNC0;
  if (std::string problem =
          areImages ? ascend::problemOf(images, box, layout.reserved)
                    : ascend::problemOf(matrices, layout.reserved);
      !problem.empty())
    return refuse(std::move(problem));
  using Copies = std::vector<ascend::BlockedCopy>;
  switch (layout.kind) {
  case WEFT_ND_TO_NZ:
    return Copies{ascend::ndToNz(matrices, layout.reserved)};
  case WEFT_ND_TO_ZZ:
    return ascend::ndToZz(matrices);
  case WEFT_NHWC_TO_NC1HWC0:
    return Copies{ascend::nhwcToNc1hwc0(images, box)};
  case WEFT_NHWC_TO_C1HWNC0:
    return Copies{ascend::nhwcToC1hwnc0(images, box, layout.reserved)};
  }
  return refuse("the layout has the kind " + std::to_string(layout.kind) +
                ", which is no weft_ascend_layout_kind");
}

static Result<std::string> movesOf(const weft_ascend_layout &layout) {
  Result<std::vector<ascend::BlockedCopy>> copies = copiesOf(layout);
  if (!copies)
    return copies.status();
  Json rows = Json::array();
  for (const ascend::BlockedCopy &copy : *copies) {
    Result<std::vector<ascend::Nd2Nz>> moves = ascend::plan(copy);
    if (!moves)
      return moves.status();
    for (const ascend::Nd2Nz &move : *moves) {
      Json row = {{"function", ascend::functionOf(move.elementBytes)},
                  {"dst", move.dst},
                  {"src", move.src}};
      for (const ascend::Parameter &parameter : ascend::parameters())
        row[std::string(parameter.name)] = move.*parameter.value;
      rows.push_back(row);
    }
  }
  return rows.dump();
}

weft_compiler_status *weft_ascend_moves(const weft_ascend_layout *layout,
                                        void **text) {
  return guarded([&]() -> weft_compiler_status * {
    weft_ascend_layout full;
    if (!layout || !text || !capi::copyKnown(layout, full))
      return toC(refuse("layout and text must not be NULL, "
                        "layout->struct_bytes must be "
                        "sizeof(weft_ascend_layout)"));
    Result<std::string> made = movesOf(full);
    if (!made)
      return toC(made.status());
    *text = std::malloc(made->size() + 1);
    if (!*text)
      return &capi::outOfMemory;
    std::memcpy(*text, made->c_str(), made->size() + 1);
    return nullptr;
  });
}
