import type { Command } from '@commander-js/extra-typings'
import { GatewayError } from '../../gateway/errors.ts'

/** Registers `portolan storage copy`, which copies the data folder to a shared database. */
export function registerStorage(program: Command): void {
  const storage = program
    .command('storage')
    .description('move an installation to a database that replicas share')
  storage
    .command('copy')
    .description(
      'copy this installation to the empty PostgreSQL of PORTOLAN_DATABASE_URL, for replicas',
    )
    .action(async () => {
      const { sharedServicesFrom } = await import('../../config/shared-services.ts')
      const { databaseUrl, schema } = sharedServicesFrom(process.env)
      if (databaseUrl === undefined)
        throw new GatewayError('INVALID_PARAMS', 'PORTOLAN_DATABASE_URL is not set', {
          hint: 'Set it to the postgres:// address of an empty database.',
        })
      const [{ loadSettings }, { copyInstallation }, { copyScripts }] = await Promise.all([
        import('../../config/load.ts'),
        import('../../replicas/database/copy-installation.ts'),
        import('../../builtins/scripts/open-saved-scripts.ts'),
      ])
      const { home } = loadSettings()
      const { rows, keys, signIns } = await copyInstallation({
        home,
        databaseUrl,
        schema,
        env: process.env,
        more: async (to) => copyScripts(home, to),
      })
      process.stderr.write(
        `${rows} rows, ${keys} keys and ${signIns} sign-ins copied from ${home}, which stays as it is.\n`,
      )
    })
}
