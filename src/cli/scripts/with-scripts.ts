import { GatewayError } from '../../gateway/errors.ts'
import { type SavedScripts, ScriptError } from '../../protocol/saved-scripts.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { withDatabase } from '../shared/with-database.ts'

/** The scripts in the database that PORTOLAN_DATABASE_URL names, or in that of the data folder. Gateways that run notice. */
export async function withScripts<Result>(
  options: ConfigOptions,
  use: (scripts: SavedScripts) => Promise<Result>,
): Promise<Result> {
  const { createSavedScripts } = await import('../../builtins/scripts/create-saved-scripts.ts')
  try {
    return await withDatabase(process.env, async (database) => {
      if (database) return use(createSavedScripts(database.storage))
      const [{ loadSettings }, { openStorage }] = await Promise.all([
        import('../../config/load.ts'),
        import('../../storage/open-storage.ts'),
      ])
      const storage = await openStorage({ home: loadSettings(toLoadOptions(options)).home })
      try {
        return await use(createSavedScripts(storage))
      } finally {
        await storage.close()
      }
    })
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    throw new GatewayError('INVALID_PARAMS', error.message, { hint: error.hint, cause: error })
  }
}
