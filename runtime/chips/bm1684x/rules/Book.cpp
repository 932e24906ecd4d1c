//===- Book.cpp - all rules of BM1684X ------------------------------------===//

#include "runtime/chips/bm1684x.h"
#include "runtime/chips/bm1684x/rules/Families.h"

using namespace weft;
using namespace weft::isa::rules;

const RuleBook chips::bm1684xRules = {
    kAnyType,
    "PPL 4.6: no 4-bit elements on BM1684X",
    bm1684x::checkTables,
    bm1684x::appendTableSources,
    {bm1684x::arithRules, bm1684x::windowRules, bm1684x::matrixRules,
     bm1684x::quantRules, bm1684x::moveRules},
    bm1684x::gdmaRules,
};
