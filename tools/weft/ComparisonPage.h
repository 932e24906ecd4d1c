//===- ComparisonPage.h - a comparison as one HTML file ---------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_COMPARISONPAGE_H
#define WEFT_TOOLS_WEFT_COMPARISONPAGE_H

#include "tools/comparison/GraphNode.h"
#include "tools/weft/ComparisonReport.h"

#include <map>

namespace weft::cli {

/// What a page is about.
struct ComparedFiles {
  std::string model;     ///< path of what was compared
  std::string reference; ///< with what
};

/// Gathers what the page of `weft compare --html` shows beside the report: the
/// numbers of a run are gone when the next sample is run.
class ComparisonPage {
public:
  /// The last sample of `report`, which `run` gave. Of each layer the numbers
  /// stay in `report` for the sample in which it is worst, to save memory.
  void add(ComparisonReport &report, const ModelRun &run);

  /// Nodes and edges of the float graph; without one the page shows the layers
  /// in their order. The first is kept.
  void setGraph(std::vector<comparison::GraphNode> nodes);
  bool hasGraph() const { return !graph.empty(); }

  /// The page. Fails if `files.model` cannot be read again.
  rt::Result<std::string> html(const ComparisonReport &report,
                               const ComparedFiles &files) const;

private:
  struct Picture {
    size_t sample;
    nlohmann::ordered_json inputs;
  };
  void addPicture(const ComparisonReport &report, const ModelRun &run);

  std::vector<comparison::GraphNode> graph;
  std::vector<Picture> pictures;
  std::map<std::string, size_t> worstSamples; ///< by layer
  std::string net;                            ///< of the first run
  size_t stage = 0;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_COMPARISONPAGE_H
