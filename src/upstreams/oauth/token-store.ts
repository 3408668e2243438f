import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  OAuthClientInformationMixed,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'

/** What has to outlive the process to stay signed in. */
export interface StoredSignIn {
  client?: OAuthClientInformationMixed
  tokens?: OAuthTokens
  verifier?: string
  discovery?: OAuthDiscoveryState
}

export type Change = { readonly [Key in keyof StoredSignIn]?: StoredSignIn[Key] | undefined }

/** Where sign-ins are stored: a file by default, a database where several gateways share them. */
export interface TokenStore {
  read(): Promise<StoredSignIn>
  update(change: Change): Promise<void>
  /** Runs `work` exclusively among all who share the store, after reading it again: a refresh token works only once. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
}

/** A hash, because addresses may contain what should not show in a file name. */
export function tokenFileName(url: string): string {
  return `${createHash('sha256').update(url).digest('hex').slice(0, 16)}.json`
}

/** One file a server, readable by its owner only. */
export function createTokenStore(folder: string, url: string): TokenStore {
  const path = join(folder, tokenFileName(url))
  let stored: StoredSignIn | undefined
  let turn: Promise<unknown> = Promise.resolve()
  async function read(): Promise<StoredSignIn> {
    stored ??= load(path)
    return stored
  }
  return {
    read,
    async update(change) {
      stored = withChange(await read(), change)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const draft = `${path}.${randomUUID()}`
      writeFileSync(draft, JSON.stringify(stored), { mode: 0o600 })
      renameSync(draft, path)
    },
    async exclusively(work) {
      const result = turn.then(async () => {
        stored = undefined
        return work()
      })
      turn = result.catch(() => undefined)
      return result
    },
  }
}

export function withChange(stored: StoredSignIn, change: Change): StoredSignIn {
  return Object.fromEntries(
    Object.entries({ ...stored, ...change }).filter(([, value]) => value !== undefined),
  )
}

function load(path: string): StoredSignIn {
  try {
    const stored: StoredSignIn = JSON.parse(readFileSync(path, 'utf8'))
    return stored
  } catch {
    return {} // None yet, or damaged: signing in again makes a new one.
  }
}
