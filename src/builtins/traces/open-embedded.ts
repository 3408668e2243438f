import type { BuiltinContext } from '../kit/define-builtin.ts'
import type { Storage } from '../../storage/storage.ts'
import { findAccountByKey, updateAccount } from '../../storage/traces/accounts.ts'
import { createAccount, keyHashes } from './service/accounts.ts'
import type { Deps } from './service/deps.ts'
import { type AccountIssuer, localKey } from './service/local-account.ts'
import { type Traces, type TracesOptions, openTraces } from './service/open-traces.ts'
import { RateLimiter } from './service/rate-limiter.ts'
import { parseTracesSettings } from './service/settings.ts'

export interface Embedded<Opened extends Traces = Traces> {
  readonly traces: Opened
  readonly storage: Storage
  /** Returns the key of this folder's own account, created on first use. */
  readonly key: () => Promise<string>
  /** Returns the key of a moderator account, which belongs to the owner of the data folder. */
  readonly operatorKey: () => Promise<string>
  close(): Promise<void>
}

interface EmbeddedOptions<Opened extends Traces> {
  /** Opens the traces; `traces serve` opens the whole community. */
  readonly open: (options: TracesOptions) => Opened
  /** Whether to work in the background. */
  readonly background?: boolean
}

/** Opens traces in this process, with the database of the context. */
export async function openEmbedded(context: BuiltinContext): Promise<Embedded> {
  return openEmbeddedAs(context, { open: openTraces, background: true })
}

export async function openEmbeddedAs<Opened extends Traces>(
  context: BuiltinContext,
  { open, background = false }: EmbeddedOptions<Opened>,
): Promise<Embedded<Opened>> {
  const { home, env } = context
  const storage = await context.openStorage()
  const traces = open({
    storage,
    home,
    embedder: await context.embedder(storage),
    modelProblem: context.modelProblem(),
    settings: parseTracesSettings(env),
    background,
    limiter: await context.shareRateLimits(new RateLimiter(Date.now)),
    onFault: (error, where) => console.error(`traces (${where}):`, error),
  })
  const keyOf = async (account: string) => localKey(issuerOf(traces.deps), home, account)
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

/** Gives out accounts of the database in this process. */
export function issuerOf(deps: Deps): AccountIssuer {
  const { storage, settings } = deps
  return {
    issue: async (email, displayName) =>
      createAccount(deps, { email, displayName, canContribute: !settings.requireInvitation }),
    isKnown: async (key) =>
      (await findAccountByKey(storage.db, keyHashes(key, settings.apiKeyPepper))) !== undefined,
  }
}

/** Makes the account of a key a moderator; only for the owner of the database. */
async function makeModerator({ storage, settings }: Deps, key: string): Promise<void> {
  const account = await findAccountByKey(storage.db, keyHashes(key, settings.apiKeyPepper))
  if (account && !account.is_moderator)
    await updateAccount(storage.db, account.id, { is_moderator: 1 })
}
