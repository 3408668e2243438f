import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  OAuthClientInformationMixed,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'

/** What has to outlive the process to stay signed in. */
export interface Kept {
  client?: OAuthClientInformationMixed
  tokens?: OAuthTokens
  verifier?: string
  discovery?: OAuthDiscoveryState
}

export type Change = { readonly [Key in keyof Kept]?: Kept[Key] | undefined }

/** Where sign-ins are kept: a file by default, a database where several gateways share them. */
export interface TokenStore {
  read(): Promise<Kept>
  update(change: Change): Promise<void>
  /** Runs alone among all who share the store, having looked at it anew: a refresh token works once. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Addresses may hold what should not show in a folder. */
export function tokenFileName(url: string): string {
  return `${createHash('sha256').update(url).digest('hex').slice(0, 16)}.json`
}

/** One file a server, readable by its owner only. */
export function createTokenStore(folder: string, url: string): TokenStore {
  const path = join(folder, tokenFileName(url))
  let kept: Kept | undefined
  let turn: Promise<unknown> = Promise.resolve()
  async function read(): Promise<Kept> {
    kept ??= load(path)
    return kept
  }
  return {
    read,
    async update(change) {
      kept = withChange(await read(), change)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const draft = `${path}.${randomUUID()}`
      writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 })
      renameSync(draft, path)
    },
    async exclusively(work) {
      const result = turn.then(async () => {
        kept = undefined
        return work()
      })
      turn = result.catch(() => undefined)
      return result
    },
  }
}

export function withChange(kept: Kept, change: Change): Kept {
  return Object.fromEntries(
    Object.entries({ ...kept, ...change }).filter(([, value]) => value !== undefined),
  )
}

function load(path: string): Kept {
  try {
    const kept: Kept = JSON.parse(readFileSync(path, 'utf8'))
    return kept
  } catch {
    return {} // None yet, or damaged: signing in again makes a new one.
  }
}
