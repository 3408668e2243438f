import type { Command } from '@commander-js/extra-typings'
import { GatewayError } from '../../gateway/errors.ts'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../shared/config-options.ts'

/** `portolan secrets …`: values for `${NAME}` in `.mcp.json`, sealed in the data folder. */
export function registerSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('store keys and passwords of servers outside of .mcp.json')
  withConfigOptions(secrets.command('set'))
    .description('store a value for ${NAME}, which is prompted for or read from stdin')
    .argument('<name>', 'the name of the variable, such as SENTRY_ACCESS_TOKEN')
    .option('--for <server>', 'also give it to this server as an environment variable')
    .option('--user', 'store it as your own key for ${user.NAME}, encrypted')
    .action(async (name, flags) => {
      const [{ readSecret }, { giveToServer, mustBeName, setSecret }, changeSecrets] =
        await Promise.all([import('./read-secret.ts'), import('./edit-secrets.ts'), loadChange()])
      // Checked before the user types a value.
      mustBeName(name)
      if (flags.user) {
        if (flags.for !== undefined)
          throw new GatewayError('INVALID_PARAMS', '--user and --for do not go together', {
            hint: `A server gets each person's own key by \${user.${name}} in its entry.`,
          })
        const { setUserKey } = await import('./user-key.ts')
        process.stderr.write(`${await setUserKey(name, await readSecret(name), flags)}\n`)
        return
      }
      const value = await readSecret(name)
      await changeSecrets(`secrets set ${name}`, flags, () => {
        const file = setSecret(name, value, flags)
        process.stderr.write(`${name} is stored in ${file}.\n`)
        if (flags.for === undefined) return
        const servers = giveToServer(name, flags.for, flags)
        process.stderr.write(`"${flags.for}" in ${servers} gets it when it starts.\n`)
      })
    })
  withConfigOptions(secrets.command('list'))
    .description('list the names that have a value, without the values')
    .action(async (flags) => {
      const { listSecrets } = await import('./edit-secrets.ts')
      const names = listSecrets(flags)
      for (const name of names) process.stdout.write(`${name}\n`)
      if (names.length === 0)
        process.stderr.write('No secrets are stored. `portolan secrets set <name>` stores one.\n')
    })
  withConfigOptions(secrets.command('remove'))
    .description('remove a stored value')
    .argument('<name>')
    .action(async (name, flags) => {
      const [{ removeSecret }, changeSecrets] = await Promise.all([
        import('./edit-secrets.ts'),
        loadChange(),
      ])
      const file = await changeSecrets(`secrets remove ${name}`, flags, () =>
        removeSecret(name, flags),
      )
      process.stderr.write(`${name} is no longer in ${file}.\n`)
    })
}

async function loadChange() {
  const [{ changeFiles }, { loadSettings }, { movedSecrets }, { withReport }] = await Promise.all([
    import('../shared/files/change-files.ts'),
    import('../../config/load.ts'),
    import('../../config/history/config-files.ts'),
    import('../shared/report/report-running.ts'),
  ])
  const place = { cwd: process.cwd(), env: process.env }
  return async <Result>(reason: string, flags: ConfigOptions, work: () => Result) => {
    const { home } = loadSettings(toLoadOptions(flags))
    const files = [flags.mcp, ...movedSecrets(home, place)]
    const change = async () => changeFiles(place, { reason, files }, work)
    const { result, report } = await withReport(change)
    for (const text of report) process.stderr.write(`${text}\n`)
    return result
  }
}
