//===- OpRows.cpp - the registry of importable operators ------------------===//

#include "frontend/onnx/OpRows.h"

#include "frontend/onnx/Import.h"
#include "llvm/ADT/STLExtras.h"

using namespace weft::onnx;

const OpRegistry &OpRegistry::get() {
  static const OpRegistry registry = [] {
    OpRegistry result;
#define WEFT_FAMILY(name) register##name##Rows(result);
#include "OpFamilies.inc"
#undef WEFT_FAMILY
#define WEFT_ROWS(name) register##name##Rows(result);
#include "frontend/onnx/RowFiles.def"
    return result;
  }();
  return registry;
}

void OpRegistry::add(llvm::StringRef family, std::vector<OpRow> newRows,
                     llvm::StringRef domain) {
  for (OpRow &row : newRows) {
    row.family = family;
    if (!domain.empty())
      row.domain = domain;
    std::vector<OpRow> &forms = rows[{row.domain.str(), row.name.str()}];
    assert(llvm::none_of(forms,
                         [&](const OpRow &other) {
                           return row.firstOpset <= other.lastOpset &&
                                  other.firstOpset <= row.lastOpset;
                         }) &&
           "two rows for one operator and opset");
    forms.push_back(row);
    llvm::sort(forms, [](const OpRow &a, const OpRow &b) {
      return a.firstOpset < b.firstOpset;
    });
  }
}

const OpRow *OpRegistry::find(llvm::StringRef domain, llvm::StringRef name,
                              int64_t opset) const {
  auto forms = rows.find({domain.str(), name.str()});
  if (forms == rows.end())
    return nullptr;
  for (const OpRow &row : forms->second)
    if (row.firstOpset <= opset && opset <= row.lastOpset)
      return &row;
  return nullptr;
}

std::vector<const OpRow *> OpRegistry::all() const {
  std::vector<const OpRow *> result;
  for (const auto &[key, forms] : rows)
    for (const OpRow &row : forms)
      result.push_back(&row);
  return result;
}

std::vector<SupportedOp> weft::onnx::supportedOps() {
  std::vector<SupportedOp> result;
  for (const OpRow *row : OpRegistry::get().all())
    result.push_back({row->domain.str(), row->name.str(), row->firstOpset,
                      row->lastOpset, row->family.str(), row->limits.str(),
                      row->kind.str()});
  return result;
}
