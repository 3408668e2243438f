import { readFileSync } from 'node:fs'
import type { Command } from '@commander-js/extra-typings'
import { packageFile } from '../../base/files/package-files.ts'
import { Argument } from '../shared/commander.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Registers `portolan completion <shell>`, and the hidden command its scripts run on every TAB. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options, servers and agents')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action((shell) => {
      // Each script asks `portolan __complete` for suggestions, so that it never becomes outdated.
      process.stdout.write(readFileSync(packageFile('assets/completion', shell)))
    })

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words) => {
      const [{ suggest }, { configuredNames }] = await Promise.all([
        import('./suggest.ts'),
        import('./configured-names.ts'),
      ])
      for (const { value, about } of suggest(program, words, configuredNames()))
        process.stdout.write(`${value}\t${about}\n`)
    })
}
