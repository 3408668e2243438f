import type { Command } from '@commander-js/extra-typings'
import { toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { durationOption } from '../shared/terminal/option-values.ts'
import { printJson } from '../shared/terminal/print-json.ts'

/** `portolan doctor`: what is wrong here, and how to fix it. */
export function registerDoctor(program: Command): void {
  withConfigOptions(program.command('doctor'))
    .description('check the installation, the files, the servers and the clients')
    .addOption(durationOption('--timeout <duration>', 'how long one server may take', '20s'))
    .option('--json', 'print the findings as JSON on stdout')
    .action(async (flags) => {
      const [
        { runDoctor },
        { renderFindings },
        { createTerminal },
        { createProgressBar },
        { thisMachine },
      ] = await Promise.all([
        import('./run-doctor.ts'),
        import('./render-findings.ts'),
        import('../shared/terminal/terminal.ts'),
        import('../shared/terminal/progress-bar.ts'),
        import('../clients/machine.ts'),
      ])
      const bar = createProgressBar('Asking servers')
      const found = await runDoctor({
        load: toLoadOptions(flags),
        machine: thisMachine(),
        timeoutMs: flags.timeout,
        onProgress: bar.update,
      }).finally(bar.end)
      const isBroken = found.some(({ status }) => status === 'fail')
      if (flags.json) printJson({ ok: !isBroken, findings: found })
      else renderFindings(found, createTerminal())
      if (isBroken) process.exitCode = 1
    })
}
