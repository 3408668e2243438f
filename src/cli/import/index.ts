import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { Option } from '../shared/commander.ts'
import { userFile } from '../../config/paths.ts'
import { CLIENT_IDS } from '../clients/client.ts'
import { durationOption } from '../shared/terminal/option-values.ts'
import { printJson } from '../shared/terminal/print-json.ts'

/** Registers `portolan import`, which copies the servers that clients already have. */
export function registerImport(program: Command): void {
  program
    .command('import')
    .description(
      'copy the MCP servers of your clients, and show what they cost; adopt moves them instead',
    )
    .addOption(new Option('--from <client...>', 'only these clients').choices(CLIENT_IDS))
    .option('--mcp <path>', "servers file to merge into, instead of the user's own")
    .addOption(
      new Option('--on-conflict <what>', 'what to do if there is another server of the same name')
        .choices(['keep', 'rename', 'replace'])
        .default('keep'),
    )
    .option('--all-projects', "also Claude Code's servers of other projects")
    .option('--project', 'also servers of files in this folder that nobody has trusted')
    .option('--no-count', 'do not start the servers to count the tokens of their tools')
    .addOption(durationOption('--timeout <duration>', 'how long one server may take', '20s'))
    .option('--no-secrets', 'leave out secrets, and name the variables to set')
    .option('--dry-run', 'show what would be done, and change nothing')
    .option('--json', 'print the report as JSON on stdout')
    .action(async (flags) => {
      const [{ runImport }, render, { createTerminal }, { createProgressBar }, { thisMachine }] =
        await Promise.all([
          import('./run-import.ts'),
          import('./render-import.ts'),
          import('../shared/terminal/terminal.ts'),
          import('../shared/terminal/progress-bar.ts'),
          import('../clients/machine.ts'),
        ])
      const bar = createProgressBar('Asking servers')
      const report = await runImport({
        machine: thisMachine(),
        target: flags.mcp === undefined ? userFile('mcp', thisMachine()) : resolve(flags.mcp),
        clients: flags.from,
        onConflict: flags.onConflict,
        allProjects: flags.allProjects ?? false,
        project: flags.project,
        count: flags.count,
        timeoutMs: flags.timeout,
        keepSecrets: flags.secrets,
        dryRun: flags.dryRun ?? false,
        onProgress: bar.update,
      }).finally(bar.end)
      if (flags.json) printJson(render.toImportJson(report))
      else render.renderImport(report, createTerminal())
      if (report.problems.length > 0) process.exitCode = 1
    })
}
