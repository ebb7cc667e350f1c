// Attempts at a transaction that another commit may beat: it is made anew from the table as it is
// then, some times.
#pragma once

#include "base/status.h"

namespace millstream::delta {

inline constexpr int commit_attempts_max = 5;

inline Status status_of(const Status& status) { return status; }
template <typename T>
Status status_of(const Result<T>& result) {
  return result.status();
}

// What the last attempt came to.
template <typename Attempt>
auto retried(const Attempt& attempt) {
  auto outcome = attempt();
  for (int done = 1; done < commit_attempts_max && !outcome.ok() &&
                     status_of(outcome).is(ErrorKind::concurrent_modification);
       ++done) {
    outcome = attempt();
  }
  return outcome;
}

}  // namespace millstream::delta
