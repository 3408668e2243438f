import { describe, expect, it, vi } from 'vitest'
import {
  aCaller,
  aDirectory,
  refusal,
  withHandles,
  withKey,
} from '../../test/support/a-directory.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createFileKeyStore } from './file-key-store.ts'

const AGENT = { id: 'ada', proof: 'jwt' as const }

describe('a credential', () => {
  it('is asked of the store that its prefix names, and of no other', async () => {
    const asked: string[] = []
    const { keys, secret } = await withKey()
    const { handles, mint } = withHandles()
    const jwt = { verify: (token: string) => (asked.push(`jwt ${token}`), AGENT) }
    const tokens = {
      verify: (token: string, path?: string) => (asked.push(`token ${token} ${path}`), AGENT),
    }
    const directory = aDirectory({ keys, handles, jwt, tokens, credentialRequired: () => true })
    const who = async (credential: string) =>
      directory.identify(aCaller({ credential, path: '/mcp' }))
    expect(await who(secret)).toMatchObject({ id: 'ada', proof: 'key' })
    expect(await who(mint('ada'))).toMatchObject({ id: 'helper', proof: 'handle' })
    expect(asked).toEqual([])
    await who('pta_token')
    await who('a.b.c')
    expect(asked).toEqual(['token pta_token /mcp', 'jwt a.b.c'])
    for (const credential of ['a.b', 'a.b.c.d', 'unknown'])
      expect(await refusal(directory, aCaller({ credential }))).toMatchObject({
        code: 'UNAUTHENTICATED',
        message: 'The credential is neither a key, a handle nor a token of this gateway',
        details: { hint: expect.stringContaining('portolan keys create') },
      })
    expect(asked).toHaveLength(2)
  })

  it('of a kind that is not set up is refused', async () => {
    const none = aDirectory({ credentialRequired: () => true })
    for (const credential of ['ptk_x', 'pth_x', 'pta_x', 'a.b.c'])
      expect(await refusal(none, aCaller({ credential }))).toMatchObject({
        message: expect.stringContaining('neither a key, a handle nor a token'),
      })
  })

  it('that comes from a key ends with it: a token that is revoked, and one whose key is not known', async () => {
    const { keys, key } = await withKey()
    const tokens = {
      verify: (token: string) => ({ ...AGENT, key: token === 'pta_known' ? key.id : 'other' }),
    }
    const directory = aDirectory({ keys, tokens, credentialRequired: () => true })
    expect(await directory.identify(aCaller({ credential: 'pta_known' }))).toMatchObject(AGENT)
    expect(await refusal(directory, aCaller({ credential: 'pta_other' }))).toMatchObject({
      message: 'The API key that this token comes from is not known',
    })
    const alone = aDirectory({ tokens, credentialRequired: () => true })
    expect(await refusal(alone, aCaller({ credential: 'pta_known' }))).toMatchObject({
      message: 'The API key that this token comes from is not known',
    })
    await keys.revoke(key.id)
    expect(await refusal(directory, aCaller({ credential: 'pta_known' }))).toMatchObject({
      message: 'The API key that this token comes from was revoked',
    })
  })

  it('gives the role of its key, and none where it has none', async () => {
    const keys = createFileKeyStore(tempFolder().file('keys.json'))
    const [viewer, agent] = [
      await keys.create('ada', { role: 'viewer' }),
      await keys.create('bob', {}),
    ]
    const directory = aDirectory({ keys })
    expect(await directory.identify(aCaller({ credential: viewer.secret }))).toMatchObject({
      id: 'ada',
      role: 'viewer',
    })
    expect(await directory.identify(aCaller({ credential: agent.secret }))).not.toHaveProperty(
      'role',
    )
  })

  it('is good until the moment its key expires, and not in it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const expiresAt = Date.now() + 60_000
      const { directory, secret } = await withKey(expiresAt)
      vi.setSystemTime(expiresAt - 1)
      expect(await directory.identify(aCaller({ credential: secret }))).toMatchObject({ expiresAt })
      vi.setSystemTime(expiresAt)
      expect(await refusal(directory, aCaller({ credential: secret }))).toMatchObject({
        message: 'The API key has expired',
      })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a name that is claimed', () => {
  it('has at most 200 characters, and no other signs; the message says so and is short', async () => {
    const directory = aDirectory()
    const long = 'a'.repeat(200)
    expect(await directory.identify(aCaller({ claimedAgent: long }))).toMatchObject({ id: long })
    for (const claimedAgent of [`${long}a`, 'a'.repeat(5_000), 'a b', 'a<b'])
      expect(await refusal(directory, aCaller({ claimedAgent }))).toMatchObject({
        code: 'INVALID_AGENT_ID',
        message: `'${claimedAgent.slice(0, 200)}' is not an agent id`,
        details: { hint: expect.stringContaining('up to 200') },
      })
  })

  it('may be empty, which says nothing, beside a credential and without', async () => {
    const { directory, secret } = await withKey()
    expect(
      await directory.identify(aCaller({ credential: secret, claimedAgent: '' })),
    ).toMatchObject({ id: 'ada' })
    expect(await aDirectory().identify(aCaller({ claimedAgent: '' }))).toMatchObject({
      id: 'default',
    })
  })

  it('that differs from the credential is refused, with where it stands', async () => {
    const { directory, secret } = await withKey()
    for (const [transport, place] of [
      ['http', 'X-Agent-Id header'],
      ['stdio', '--agent option'],
    ] as const)
      expect(
        await refusal(directory, aCaller({ transport, credential: secret, claimedAgent: 'bob' })),
      ).toMatchObject({ details: { hint: `Leave the ${place} out, or set it to 'ada'.` } })
  })
})
