//===- TextTable.h - aligned columns for the terminal -----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_TEXTTABLE_H
#define WEFT_TOOLS_WEFT_TEXTTABLE_H

#include <string>
#include <vector>

namespace weft::cli {

/// A name that keeps a table in shape, at most `width` bytes long and without
/// control characters: its end tells more than its start.
std::string shortened(std::string name, size_t width);

/// Lines of cells; each column is as wide as its widest cell.
class TextTable {
public:
  /// `columns` has a letter a column: 'l' for text, 'r' for numbers.
  explicit TextTable(std::string columns) : columns(std::move(columns)) {}

  /// As many cells as there are columns.
  void addRow(std::vector<std::string> cells);
  /// The lines, indented by two spaces.
  std::string text() const;

private:
  std::string columns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_TEXTTABLE_H
