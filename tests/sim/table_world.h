// One simulated life of a Delta table that several machines write at once: appends, appends of a
// transaction that are tried until they are told to be in, deletes and OPTIMIZE, each against store
// errors, lost answers (a conditional put that took effect and failed) and crashes. The others come
// in at the worst moment: while a commit is about to be put. What a writer was told must be true.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "delta/log.h"
#include "io/sim_store.h"

namespace millstream::sim {

class TableWorld {
 public:
  TableWorld(std::uint64_t seed, bool verbose);

  // Empty: all invariants hold. Otherwise what is broken.
  std::string live();

  std::int64_t told() const { return told_; }
  std::int64_t failures() const { return failures_; }

 private:
  enum class Outcome : std::uint8_t {
    done,     // told so
    refused,  // a conflict: it has had no effect
    unknown,  // an error of the store: all of it, or nothing
  };
  struct Operation {
    std::set<std::int64_t> ids;
    Outcome outcome = Outcome::unknown;
  };
  struct Machine {
    std::shared_ptr<io::FaultStore> store;
    std::shared_ptr<delta::Log> log;  // as far as it has read
    std::int64_t txn_version = 0;
    std::set<std::int64_t> txn_ids;  // of the transaction that is not known to be in yet
    bool busy = false;
  };

  void make_table();
  void act(std::size_t number);
  Status append(Machine& machine, std::set<std::int64_t> ids, bool transaction);
  Status remove(Machine& machine, std::set<std::int64_t>* ids);
  Status optimize(Machine& machine);
  std::set<std::int64_t> new_ids();
  io::FaultStore::Chooser chooser(std::size_t number, io::FaultRates rates);
  Outcome outcome_of(const Status& status);
  Result<std::vector<std::int64_t>> rows_in(const std::shared_ptr<io::Store>& store) const;
  std::string check();
  std::string check_log() const;
  void say(const std::string& text) const;

  const bool verbose_;
  Random random_;
  io::SimClock clock_;
  std::shared_ptr<io::Store> disk_;
  std::array<Machine, 3> machines_;
  std::vector<Operation> appends_;
  std::vector<Operation> deletes_;
  std::int64_t next_id_ = 0;
  std::size_t depth_ = 0;
  std::int64_t told_ = 0;
  std::int64_t failures_ = 0;
};

}  // namespace millstream::sim
