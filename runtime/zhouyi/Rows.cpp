//===- Rows.cpp - Zhouyi's vector arithmetic in the catalog --------------===//

#include "runtime/catalog/Sets.h"
#include "runtime/zhouyi/rows/Words.h"

#include <algorithm>
#include <iterator>

using namespace weft;
using namespace weft::catalog;

/// In the order of the document.
static constexpr std::string_view kOrder[] = {
    "vadd", "vaddh", "vabs",  "vsub",  "vsubh", "vmul",  "vmull",  "vmulh",
    "vdiv", "vmod",  "vdot",  "vqdot", "vdpa",  "vqdpa", "vrpadd", "vmml",
    "vmma", "fma",   "vfmae", "vfmao", "vrint", "clip"};

std::vector<Operation> catalog::zhouyiRows() {
  std::vector<Operation> rows;
  for (auto *group :
       {zhouyi::arithmeticRows, zhouyi::multiplyRows, zhouyi::dotRows,
        zhouyi::matrixRows, zhouyi::roundingRows})
    for (Operation &row : group())
      rows.push_back(std::move(row));
  auto place = [](const Operation &row) {
    return std::find(std::begin(kOrder), std::end(kOrder), row.name) -
           std::begin(kOrder);
  };
  std::sort(rows.begin(), rows.end(),
            [&](const Operation &a, const Operation &b) {
              return place(a) < place(b);
            });
  return rows;
}
