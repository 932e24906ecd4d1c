#include "tools/weft/TextTable.h"

#include <algorithm>
#include <cassert>

using namespace weft;

static bool isContinuation(char byte) { return (byte & 0xc0) == 0x80; }

/// Names in files may hold anything.
static void replaceControls(std::string &text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
}

std::string cli::shortened(std::string name, size_t width) {
  replaceControls(name);
  if (name.size() <= width)
    return name;
  size_t begin = name.size() - width + 3;
  while (begin < name.size() && isContinuation(name[begin]))
    ++begin; // not inside a UTF-8 character
  return "..." + name.substr(begin);
}

/// Characters, of which UTF-8 may have several bytes.
static size_t widthOf(const std::string &cell) {
  return cell.size() - std::count_if(cell.begin(), cell.end(), isContinuation);
}

void cli::TextTable::addRow(std::vector<std::string> cells) {
  assert(cells.size() == columns.size());
  for (std::string &cell : cells)
    replaceControls(cell);
  rows.push_back(std::move(cells));
}

std::string cli::TextTable::text() const {
  std::vector<size_t> widths(columns.size());
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], widthOf(row[i]));
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string space(widths[i] - widthOf(row[i]), ' ');
      line += "  " + (columns[i] == 'r' ? space + row[i] : row[i] + space);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}
