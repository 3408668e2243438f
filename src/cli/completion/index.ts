import { Argument, type Command } from 'commander'
import { SHELLS, type Shell } from './shell-scripts.ts'

/** `portolan completion <shell>`, and the question its scripts ask on every TAB. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options, servers and agents')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { SHELL_SCRIPTS } = await import('./shell-scripts.ts')
      process.stdout.write(SHELL_SCRIPTS[shell])
    })

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const [{ suggest }, { configuredNames }] = await Promise.all([
        import('./suggest.ts'),
        import('./configured-names.ts'),
      ])
      for (const { value, about } of suggest(program, words, configuredNames()))
        process.stdout.write(`${value}\t${about}\n`)
    })
}
