import type { BuiltinContext } from '../kit/define-builtin.ts'
import type { Storage } from '../../storage/storage.ts'
import { RateLimiter } from './service/http/rate-limiter.ts'
import { localKey } from './service/local-account.ts'
import { type Traces, openTraces } from './service/open-traces.ts'
import { parseTracesSettings } from './service/settings.ts'
import { findAccountByKey, updateAccount } from '../../storage/traces/accounts.ts'
import type { Deps } from './service/deps.ts'
import { keyHashes } from './service/operations/accounts/api-keys.ts'

export interface Embedded {
  readonly traces: Traces
  readonly storage: Storage
  /** Returns the key of this folder's own account, created on first use. */
  key(): Promise<string>
  /** Returns the key of a moderator account, which belongs to the owner of the data folder. */
  readonly operatorKey: () => Promise<string>
  close(): Promise<void>
}

/** Opens the whole service in this process, with the database of the context. */
export async function openEmbedded(
  context: BuiltinContext,
  { background = false }: { readonly background?: boolean } = {},
): Promise<Embedded> {
  const { home, env } = context
  const storage = await context.openStorage()
  const settings = parseTracesSettings(env)
  const traces = openTraces({
    storage,
    home,
    embedder: await context.embedder(storage),
    modelProblem: context.modelProblem(),
    settings,
    background,
    limiter: await context.shareRateLimits(new RateLimiter(Date.now)),
    onFault: (error, where) => console.error(`traces (${where}):`, error),
  })
  const keyOf = async (account: string) => localKey(traces.fetch, home, account, settings.keyHeader)
  async function makeOperator(): Promise<string> {
    const key = await keyOf(`${storage.identity}-operator`)
    await makeModerator(traces.deps, key)
    return key
  }
  let operator: Promise<string> | undefined
  return {
    traces,
    storage,
    async operatorKey() {
      operator ??= makeOperator()
      operator.catch(() => (operator = undefined))
      return operator
    },
    key: async () => keyOf(storage.identity),
    async close() {
      await traces.close()
      await storage.close()
    },
  }
}

/** Makes the account of a key a moderator; only for the owner of the database. */
async function makeModerator(
  { storage, settings }: Pick<Deps, 'storage' | 'settings'>,
  key: string,
): Promise<void> {
  const account = await findAccountByKey(storage.db, keyHashes(key, settings.apiKeyPepper))
  if (account && !account.is_moderator)
    await updateAccount(storage.db, account.id, { is_moderator: 1 })
}
