import type { Command } from 'commander'
import { type ConfigOptions, withConfigOptions } from '../shared/config-options.ts'

interface SetFlags extends ConfigOptions {
  readonly for?: string
  readonly user?: true
}

/** `portolan secrets …`: values for `${NAME}` in `.mcp.json`, in a file only its owner can read. */
export function registerSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('keep keys and passwords of servers out of .mcp.json')
  withConfigOptions(secrets.command('set'))
    .description('store a value for ${NAME}; it is asked for, or read from stdin')
    .argument('<name>', 'the name of the variable, such as SENTRY_ACCESS_TOKEN')
    .option('--for <server>', 'also give it to this server as an environment variable')
    .option('--user', 'as a key of your own, for ${user.NAME}; sealed')
    .action(async (name: string, flags: SetFlags) => {
      const [{ readSecret }, { giveToServer, mustBeName, setSecret }] = await Promise.all([
        import('./read-secret.ts'),
        import('./edit-secrets.ts'),
      ])
      // Checked before the user types a value.
      mustBeName(name)
      if (flags.user) {
        const { setUserKey } = await import('./user-key.ts')
        process.stderr.write(`${await setUserKey(name, await readSecret(name), flags)}\n`)
        return
      }
      const file = setSecret(name, await readSecret(name), flags)
      process.stderr.write(`${name} is in ${file}, which only you can read.\n`)
      if (flags.for === undefined) return
      const servers = giveToServer(name, flags.for, flags)
      process.stderr.write(`"${flags.for}" in ${servers} gets it when it starts.\n`)
    })
  withConfigOptions(secrets.command('list'))
    .description('list the names that have a value, without the values')
    .action(async (flags: ConfigOptions) => {
      const { listSecrets } = await import('./edit-secrets.ts')
      const names = listSecrets(flags)
      for (const name of names) process.stdout.write(`${name}\n`)
      if (names.length === 0)
        process.stderr.write('No secrets are stored. `portolan secrets set <name>` stores one.\n')
    })
  withConfigOptions(secrets.command('remove'))
    .description('remove the value of a name')
    .argument('<name>')
    .action(async (name: string, flags: ConfigOptions) => {
      const { removeSecret } = await import('./edit-secrets.ts')
      process.stderr.write(`${name} is no longer in ${removeSecret(name, flags)}.\n`)
    })
}
