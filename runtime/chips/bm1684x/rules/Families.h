//===- Families.h - the rules of BM1684X, by family -----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_BM1684X_RULES_FAMILIES_H
#define WEFT_RUNTIME_CHIPS_BM1684X_RULES_FAMILIES_H

#include "runtime/isa/rules/Rule.h"

namespace weft::isa::rules::bm1684x {

/// Plain demands of TIU instructions: rows of tables in Tables.cpp.
void checkTables(const Subject &subject, Report &report);
void appendTableSources(std::vector<std::string_view> &sources);

Rows<CodeRule> arithRules();
Rows<CodeRule> windowRules(); ///< CONV, PorD
Rows<CodeRule> matrixRules(); ///< MM, MM2, VC
Rows<CodeRule> quantRules();
Rows<CodeRule> moveRules(); ///< CMP, TRANS_BC, SG, SGL, SFU
Rows<CodeRule> gdmaRules();

} // namespace weft::isa::rules::bm1684x

#endif // WEFT_RUNTIME_CHIPS_BM1684X_RULES_FAMILIES_H
