import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Caller } from '../gateway/call.ts'
import { createDirectory } from './directory.ts'
import { createFileKeyStore } from './file-key-store.ts'
import { createHandles } from './handles.ts'

const HOUR = 3_600_000

/** An agent with a key, and how it passes its rights on. */
async function aParent(expiresAt?: number) {
  const folder = tempFolder()
  const keys = createFileKeyStore(folder.file('keys.json'))
  const handles = createHandles(folder.file('secret'))
  const { key, secret } = await keys.create('ada', { expiresAt })
  const directory = createDirectory({
    keys,
    handles,
    rules: undefined,
    credentialRequired: () => true,
  })
  const identify = async (credential: string | undefined, claimedAgent?: string) => {
    const caller: Caller = { transport: 'http', credential, claimedAgent }
    return directory.identify(caller)
  }
  const mint = async (parentSecret: string, agent: string) =>
    handles.mint({ parent: await identify(parentSecret), agent, ttlMs: HOUR })
  return { keys, key, secret, identify, mint }
}

it('a handle, and what it has minted itself, ends at once with the key it comes from', async () => {
  const { keys, key, secret, identify, mint } = await aParent()
  const child = await mint(secret, 'helper')
  const grandchild = await mint(child.secret, 'hand')
  expect(await identify(child.secret)).toMatchObject({ id: 'helper', key: key.id })
  expect(await identify(undefined, grandchild.secret)).toMatchObject({ id: 'hand', key: key.id })

  await keys.revoke(key.id)
  const ended = {
    code: 'UNAUTHENTICATED',
    message: 'The API key that this handle comes from was revoked',
  }
  for (const one of [child.secret, grandchild.secret]) {
    await expect(identify(one)).rejects.toMatchObject(ended)
    await expect(identify(undefined, one)).rejects.toMatchObject(ended)
  }
})

it('a handle does not live longer than the key it comes from', async () => {
  const expiresAt = Date.now() + 5_000
  const { secret, mint } = await aParent(expiresAt)
  expect((await mint(secret, 'helper')).expiresAt).toBe(expiresAt)
})
