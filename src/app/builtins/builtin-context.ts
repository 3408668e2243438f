import { isFolder } from '../../base/files/paths.ts'
import type { Environment } from '../../base/environment.ts'
import { messageOf } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { toVariables } from '../../base/setting-table.ts'
import type { BuiltinContext } from '../../builtins/kit/define-builtin.ts'
import { loadSettings } from '../../config/load.ts'
import { dataFolder } from '../../config/paths.ts'
import type { BuiltinName } from '../../config/servers/servers.ts'
import { sharedServicesFrom } from '../../config/shared-services.ts'
import { detectProject } from '../../gateway/project.ts'
import type { Service } from '../../protocol/service.ts'
import type { RedisClient } from '../../replicas/redis/redis-client.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { findBuiltin } from '../../builtins/find-builtin.ts'
import { openEmbedder, toEmbedderSettings } from './embedder.ts'

export interface BuiltinOptions {
  readonly env: Environment
  /** The data folder; PORTOLAN_HOME or ~/.portolan by default. */
  readonly home?: string | undefined
  /** Where it was started; the working directory by default. */
  readonly cwd?: string | undefined
  /** The keys of its entry in `.mcp.json` that only the built-in knows. */
  readonly options?: Readonly<JsonObject> | undefined
  /** The database that replicas share: it stays open when the built-in is closed. */
  readonly storage?: Storage | undefined
  /** Holds the limits that replicas share. */
  readonly redis?: RedisClient | undefined
  readonly dashboardUrl?: BuiltinContext['dashboardUrl'] | undefined
  /** Called with the reason if vectors were asked for but are not available. */
  readonly warn?: ((problem: string) => void) | undefined
  /** The section `embedding` of the settings; loaded when absent. */
  readonly embedding?: Settings['embedding'] | undefined
}

/** Opens a built-in server; its code is loaded only then. */
export async function openBuiltin(name: BuiltinName, options: BuiltinOptions): Promise<Service> {
  return findBuiltin(name).open(builtinContext(options))
}

/**
 * Returns the environment with a section of the settings added. The settings already contain the
 * environment, which overrides the file, so nothing of it is lost.
 */
export function withSection(name: BuiltinName, settings: Settings, env: Environment): Environment {
  return { ...env, ...toVariables(findBuiltin(name).settings ?? {}, name, settings[name]) }
}

/** Returns what the files and the environment say about a built-in, for its commands. */
export function builtinOptionsFrom(name: BuiltinName, env: Environment) {
  const settings = loadSettings({ env })
  const { home, embedding } = settings
  return { env: withSection(name, settings, env), home, embedding } satisfies BuiltinOptions
}

/** Checks the name, because storage is loaded only where it is used. */
const isStorageError = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'StorageError'

function databaseUnusable(cause: unknown, isAway: boolean): string {
  const what = isAway ? 'does not answer' : 'cannot be used'
  return `The database of PORTOLAN_DATABASE_URL ${what}: ${messageOf(cause)}. Start PostgreSQL, correct PORTOLAN_DATABASE_URL, or unset it to keep everything in the data folder.`
}

/** Creates the context that built-ins work with; drivers are loaded when first needed. */
export function builtinContext(options: BuiltinOptions): BuiltinContext {
  const { cwd = process.cwd(), storage: shared, redis } = options
  const home = options.home ?? dataFolder({ cwd, env: options.env })
  const env = { ...options.env, PORTOLAN_HOME: home }
  const embedding = () =>
    toEmbedderSettings(options.embedding ?? loadSettings({ env, cwd }).embedding, env)
  let modelProblem: string | undefined
  const report = (problem: string) => {
    modelProblem = problem
    options.warn?.(`Search is by words alone: ${problem}`)
  }
  return {
    home,
    env,
    cwd,
    options: options.options ?? {},
    project: () => detectProject({ roots: undefined, query: undefined, env, cwd, isFolder }).path,
    async openStorage() {
      if (shared) return { ...shared, close: async () => undefined }
      const [{ openStorage }, { StorageError, storageFailure }] = await Promise.all([
        import('../../storage/open-storage.ts'),
        import('../../storage/storage-failure.ts'),
      ])
      const services = sharedServicesFrom(env)
      return openStorage({ home, ...services }).catch((cause: unknown) => {
        if (!services.databaseUrl || isStorageError(cause)) throw cause
        const isAway = storageFailure(cause) === 'unavailable'
        throw new StorageError(databaseUnusable(cause, isAway), { cause })
      })
    },
    embedding,
    async embedder(vectorsIn) {
      const settings = embedding()
      const embedder = await openEmbedder(settings, home, report)
      if (!embedder || vectorsIn?.engine !== 'postgres') return embedder
      const { useVectors } = await import('../../storage/vectors.ts')
      try {
        await useVectors(vectorsIn)
        return embedder
      } catch (error) {
        await embedder.close()
        if (settings.provider !== 'builtin' || !isStorageError(error)) throw error
        report(error.message)
        return undefined
      }
    },
    modelProblem: () => modelProblem,
    async shareRateLimits(local) {
      if (!redis) return local
      const { createRedisRateLimits } = await import('../../replicas/redis/redis-rate-limits.ts')
      return createRedisRateLimits(redis, local)
    },
    dashboardUrl: options.dashboardUrl ?? (() => undefined),
  }
}
