// The millstream program: `serve`, `run` and `sql`. Only here do processes, signals and exit codes
// matter.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>

#include "base/failpoint.h"
#include "main/run.h"
#include "main/serve.h"
#include "main/version.h"
#include "shell/shell.h"

namespace {

using namespace millstream;

int report(const Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "millstream: %s\n", status.to_string().c_str());
  return 1;
}

constexpr int usage_exit_code = 2;

void add_server_options(CLI::App* command, main_program::ServeOptions* options,
                        const char* quiet_help) {
  command->add_option("--warehouse", options->warehouse, "folder of the tables that have names")
      ->type_name("DIR")
      ->default_str("spark-warehouse");
  command->add_option("--memory", options->memory, "what the engine may use, as 2g or 512m")
      ->type_name("SIZE");
  command
      ->add_option("--conf", options->conf,
                   "a setting of the service under Spark's name, as "
                   "spark.connect.session.manager.defaultSessionTimeout=10m or "
                   "spark.hadoop.fs.s3a.endpoint=https://host; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--quiet", options->quiet, quiet_help);
}

void add_shell_options(CLI::App* command, shell::ShellOptions* options) {
  using shell::OutputFormat;
  static const std::map<std::string, OutputFormat> formats{
      {"table", OutputFormat::table}, {"csv", OutputFormat::csv}, {"json", OutputFormat::json}};
  command->add_option("-e,--execute", options->statements, "statements to run; may be repeated")
      ->type_name("SQL")
      ->allow_extra_args(false);
  command->add_option("-f,--file", options->files, "a file of statements; - is standard input")
      ->type_name("FILE")
      ->allow_extra_args(false);
  auto* remote = command->add_option("--remote", options->remote,
                                     "a Spark Connect server, as sc://host:15002; without it an "
                                     "engine of its own answers");
  remote->type_name("URL");
  command->add_option("--warehouse", options->warehouse, "folder of the tables that have names")
      ->type_name("DIR")
      ->default_str("spark-warehouse")
      ->excludes(remote);
  command->add_option("--memory", options->memory, "what the engine may use, as 2g or 512m")
      ->type_name("SIZE")
      ->excludes(remote);
  command->add_option("--conf", options->conf, "a setting of the session; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option_function<std::string>(
          "--output", [options](const std::string& name) { options->output = formats.at(name); },
          "table, csv or json (an object a line)")
      ->transform(CLI::IsMember(formats, CLI::ignore_case).description(""))
      ->type_name("FORMAT")
      ->default_str("table");
  command->add_flag("!--no-header", options->header, "CSV without a line of names");
  command->add_flag("!--no-timing", options->timing, "no line after a statement in a terminal");
  command->add_option("--max-rows", options->rows_max, "rows of a table that are shown")
      ->check(CLI::Range(1, 10'000'000))
      ->type_name("ROWS")
      ->capture_default_str();
}

// What is wrong with the command line, and how it should be.
int usage_error(const CLI::App& app, const std::string& what) {
  std::fprintf(stderr, "millstream: %s\n\n%s", what.c_str(), app.help().c_str());
  return usage_exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  if (const Status armed = failpoints::arm_from_environment(); !armed.ok()) return report(armed);

  CLI::App app{"Millstream: Spark streaming programs into Delta tables, without a JVM",
               "millstream"};
  app.set_version_flag("--version", main_program::version_line());
  app.set_help_flag();
  app.set_help_all_flag("-h,--help", "this help, of all commands");
  app.require_subcommand(1);

  main_program::ServeOptions serve;
  auto* serve_command =
      app.add_subcommand("serve", "serve Spark Connect clients until a signal ends it");
  serve_command->add_option("--host", serve.host, "address to listen on")
      ->type_name("ADDRESS")
      ->capture_default_str();
  serve_command->add_option("--port", serve.port, "0: any free port")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  add_server_options(serve_command, &serve, "no line on standard error for what fails");

  main_program::RunOptions run;
  // What follows the program is the program's own, options too.
  auto* run_command = app.add_subcommand(
      "run", "run a PySpark program with a server of its own: run [OPTIONS] FILE [ARGUMENTS]");
  add_server_options(run_command, &run.server, "no line for each batch of a streaming query");
  run_command->prefix_command();

  shell::ShellOptions shell;
  add_shell_options(
      app.add_subcommand("sql", "run SQL: in a terminal, from arguments, files or standard input"),
      &shell);

  const auto named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(named).empty())
    return usage_error(app, fmt::format("there is no command '{}'", argv[1]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& wrong) {
    const auto parsed = app.get_subcommands();
    return usage_error(parsed.empty() ? app : *parsed.front(), wrong.what());
  }
  if (serve_command->parsed()) return report(main_program::serve(serve));
  if (!run_command->parsed()) {
    const auto code = shell::run_shell(shell);
    return code.ok() ? *code : report(code.status());
  }

  run.arguments = run_command->remaining();
  if (run.arguments.empty()) return usage_error(*run_command, "run needs the program's file");
  run.program = run.arguments.front();
  if (run.program.starts_with('-'))
    return usage_error(*run_command, fmt::format("run has no option {}", run.program));
  run.arguments.erase(run.arguments.begin());
  const auto code = main_program::run(run);
  return code.ok() ? *code : report(code.status());
}
