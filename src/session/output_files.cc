#include "session/output_files.h"

#include <algorithm>

#include "connector/chained.h"
#include "session/kept_rows.h"

namespace millstream::session {
namespace {

struct Partitioning {
  std::size_t shuffled = 0;   // 0: as the rows come
  std::size_t coalesced = 0;  // 0: any number
};

// What the operators nearest to the result say; below a shuffle nothing counts.
Partitioning partitioning_of(const plan::Node& node) {
  Partitioning out;
  // A SELECT without FROM is a projection of nothing.
  const auto input_of = [](const plan::Node& parent) {
    return parent.children.empty() ? nullptr : parent.children.front().get();
  };
  for (const plan::Node* at = &node; at != nullptr; at = input_of(*at)) {
    switch (at->kind) {
      case plan::NodeKind::project:
      case plan::NodeKind::filter:
      case plan::NodeKind::watermark:
      case plan::NodeKind::collect_metrics:
        continue;
      case plan::NodeKind::repartition: {
        const auto& here = plan::as<plan::Repartition>(*at);
        if (!here.partitions || *here.partitions < 1) return out;
        const auto count = static_cast<std::size_t>(*here.partitions);
        if (here.shuffle) {
          out.shuffled = count;
          return out;
        }
        out.coalesced = out.coalesced == 0 ? count : std::min(out.coalesced, count);
        continue;
      }
      default:
        return out;
    }
  }
  return out;
}

// At most `count` partitions, each of neighbours.
std::vector<connector::Batches::Partition> coalesced(
    std::vector<connector::Batches::Partition> partitions, std::size_t count) {
  if (partitions.size() <= count) return partitions;
  std::vector<connector::Batches::Partition> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::ptrdiff_t>(i * partitions.size() / count);
    const auto to = static_cast<std::ptrdiff_t>((i + 1) * partitions.size() / count);
    out.push_back(connector::chained({partitions.begin() + from, partitions.begin() + to}));
  }
  return out;
}

}  // namespace

Result<OutputRows> execute_for_files(Session& session, const plan::NodePtr& node,
                                     const ActionContext& context) {
  TRY_ASSIGN(auto rows, session.execute(node, context));
  const Partitioning partitioning = partitioning_of(*node);
  if (partitioning.shuffled == 0 && partitioning.coalesced == 0)
    return OutputRows{std::move(rows), false};
  if (partitioning.shuffled > 1) {
    TRY_ASSIGN(const auto kept, KeptRows::make(rows, session.runtime().temporary_directory));
    rows = kept->in_partitions(partitioning.shuffled);
  } else if (partitioning.shuffled == 1) {
    rows.partitions = coalesced(std::move(rows.partitions), 1);
  }
  if (partitioning.coalesced > 0)
    rows.partitions = coalesced(std::move(rows.partitions), partitioning.coalesced);
  return OutputRows{std::move(rows), true};
}

}  // namespace millstream::session
