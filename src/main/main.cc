#include <cstdio>

int main() {
  std::fputs("millstream\n", stdout);
  return 0;
}
