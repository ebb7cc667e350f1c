// One simulated life of a streaming query: from a seed it draws the sources, the rows that arrive,
// triggers, store errors, crashes, failpoints and a second process that believes that it owns the
// query. It ends with a quiet run; then each row must be in the sink exactly once and the
// checkpoint must be one that can be continued.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/sim_store.h"
#include "stream/fakes.h"
#include "stream/run.h"

namespace millstream::sim {

class World {
 public:
  World(std::uint64_t seed, bool verbose);
  ~World();

  // Empty: all invariants hold. Otherwise what is broken.
  std::string live();

  std::int64_t batches() const { return batches_; }
  std::int64_t failures() const { return failures_; }

 private:
  class Observer;

  void make_plan();
  void make_file_plan();
  void more_files();
  void more_rows();
  void draw_faults();
  Status run_once(bool quiet);
  Result<std::shared_ptr<connector::Sink>> make_sink();
  Result<std::vector<std::int64_t>> rows_in_sink() const;
  Status run_triggers(stream::StreamRun& run, int triggers);
  void zombie_interferes();
  std::string check() const;
  std::string check_rows() const;
  std::string check_logs() const;
  void say(const std::string& text) const;

  const std::uint64_t seed_;
  const bool verbose_;
  Random random_;
  io::SimClock clock_;
  std::shared_ptr<io::Store> disk_;  // what store_ fails on top of
  std::shared_ptr<io::FaultStore> store_;
  std::vector<std::shared_ptr<stream::fakes::Feed>> feeds_;
  bool rate_source_ = false;
  bool delta_sink_ = false;
  std::string file_format_;  // "json" or "cloudFiles": rows come as JSON files; empty: they do not
  std::int64_t file_rows_ = 0;  // in all files so far
  std::int64_t files_ = 0;
  plan::NodePtr plan_;
  stream::fakes::PassEngine engine_;
  std::int64_t retain_ = 100;
  std::string id_;
  bool quiet_ = false;
  int depth_ = 0;  // runs under way, one inside the other
  std::int64_t batches_ = 0;
  std::int64_t failures_ = 0;
};

}  // namespace millstream::sim
