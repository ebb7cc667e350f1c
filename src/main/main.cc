// The millstream program: `serve` and `run`. Only here do processes, signals and exit codes matter.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/failpoint.h"
#include "main/run.h"
#include "main/serve.h"
#include "main/version.h"

namespace {

using namespace millstream;

int report(const Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "millstream: %s\n", status.to_string().c_str());
  return 1;
}

void add_server_options(CLI::App* command, main_program::ServeOptions* options) {
  command->add_option("--warehouse", options->warehouse, "folder of the tables that have names")
      ->default_str("spark-warehouse");
  command->add_option("--memory", options->memory, "what the engine may use, as 2g or 512m");
}

}  // namespace

int main(int argc, char** argv) {
  if (const Status armed = failpoints::arm_from_environment(); !armed.ok()) return report(armed);

  CLI::App app{"Millstream: Spark streaming programs into Delta tables, without a JVM"};
  app.set_version_flag("--version", main_program::version_line());
  app.require_subcommand(1);

  main_program::ServeOptions serve;
  auto* serve_command =
      app.add_subcommand("serve", "serve Spark Connect clients until a signal ends it");
  serve_command->add_option("--host", serve.host, "address to listen on")->capture_default_str();
  serve_command->add_option("--port", serve.port, "0: any free port")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  add_server_options(serve_command, &serve);

  main_program::RunOptions run;
  auto* run_command = app.add_subcommand("run", "run a PySpark program with a server of its own");
  add_server_options(run_command, &run.server);
  run_command->add_flag("--quiet", run.quiet, "no line for each batch of a streaming query");
  run_command->add_option("program", run.program, "the program, and its arguments")->required();
  run_command->prefix_command();

  CLI11_PARSE(app, argc, argv);
  if (serve_command->parsed()) return report(main_program::serve(serve));

  run.arguments = run_command->remaining();
  const auto code = main_program::run(run);
  return code.ok() ? *code : report(code.status());
}
