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

export interface TokenStore {
  read(): Kept
  update(change: { [Key in keyof Kept]?: Kept[Key] | undefined }): void
}

/** One file a server, readable by its owner only. */
export function createTokenStore(folder: string, url: string): TokenStore {
  const path = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 16)}.json`)
  let kept: Kept | undefined
  function read(): Kept {
    kept ??= load(path)
    return kept
  }
  return {
    read,
    update(change) {
      kept = Object.fromEntries(
        Object.entries({ ...read(), ...change }).filter(([, value]) => value !== undefined),
      )
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const draft = `${path}.${randomUUID()}`
      writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 })
      renameSync(draft, path)
    },
  }
}

function load(path: string): Kept {
  try {
    const kept: Kept = JSON.parse(readFileSync(path, 'utf8'))
    return kept
  } catch {
    return {} // None yet, or damaged: signing in again makes a new one.
  }
}
