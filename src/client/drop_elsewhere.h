// Lets go, on another thread, of what may hold the last reference to a connection: its end waits
// for the thread that calls this.
#pragma once

#include <memory>
#include <thread>

namespace millstream::client {

template <typename T>
void drop_elsewhere(std::shared_ptr<T> last) {
  std::thread([last = std::move(last)] {}).detach();
}

}  // namespace millstream::client
