#include "io/sim_store.h"

namespace millstream::io {

std::shared_ptr<FaultStore> sim_store(SimClock& clock) {
  return std::make_shared<FaultStore>(memory_store(&clock), nullptr);
}

FaultStore::Chooser seeded_faults(SimClock& clock, Random& random, FaultRates rates) {
  return [&clock, &random, rates](const StoreCall& call) {
    clock.advance_us(call.writes ? 350 : 20);
    const auto dice = static_cast<int>(random.below(1000));
    if (dice >= rates.errors_permille + rates.crashes_permille) return Fault::none;
    const bool after = call.writes && random.below(2) == 0;
    if (dice < rates.errors_permille) return after ? Fault::error_after : Fault::error_before;
    return after ? Fault::crash_after : Fault::crash_before;
  };
}

}  // namespace millstream::io
