import { tempFolder } from './temp-folder.ts'
import type { Caller } from '../../src/gateway/call.ts'
import type { AgentDirectory } from '../../src/gateway/layers/identify.ts'
import { type DirectoryOptions, createDirectory } from '../../src/identity/directory.ts'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { createHandles } from '../../src/identity/handles.ts'

export const aCaller = (caller: Partial<Caller> = {}): Caller => ({
  transport: 'http',
  credential: undefined,
  claimedAgent: undefined,
  ...caller,
})

export function aDirectory(options: Partial<DirectoryOptions> = {}): AgentDirectory {
  return createDirectory({ rules: undefined, credentialRequired: () => false, ...options })
}

/** The error with which a directory refuses a caller. */
export async function refusal(directory: AgentDirectory, caller: Caller): Promise<unknown> {
  try {
    await directory.identify(caller)
  } catch (error) {
    return error
  }
  throw new Error('it was accepted')
}

/** A directory that requires credentials, and a key of the agent `ada`. */
export async function withKey(expiresAt?: number) {
  const keys = createFileKeyStore(tempFolder().file('keys.json'))
  const { key, secret } = await keys.create('ada', { expiresAt })
  return { keys, key, secret, directory: aDirectory({ keys, credentialRequired: () => true }) }
}

/** Handles of the sub-agent `helper`, minted by any agent. */
export function withHandles() {
  const handles = createHandles(tempFolder().file('secret'))
  const mint = (parent: string) =>
    handles.mint({ parent: { id: parent }, agent: 'helper', ttlMs: 1000 }).secret
  return { handles, mint }
}
