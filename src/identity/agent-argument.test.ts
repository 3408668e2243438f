import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Caller } from '../gateway/call.ts'
import type { AgentDirectory } from '../gateway/layers/identify.ts'
import { type DirectoryOptions, createDirectory } from './directory.ts'
import { createFileKeyStore } from './file-key-store.ts'
import { createHandles } from './handles.ts'

const aDirectory = (options: Partial<DirectoryOptions> = {}) =>
  createDirectory({ rules: undefined, credentialRequired: () => false, ...options })

/** A caller whose connection names one agent, and its call another. */
const two = (claimedAgent: string | undefined, agentArgument: string | undefined): Caller => ({
  transport: 'http',
  credential: undefined,
  claimedAgent,
  agentArgument,
})

async function refusal(directory: AgentDirectory, caller: Caller): Promise<unknown> {
  try {
    await directory.identify(caller)
  } catch (error) {
    return error
  }
  throw new Error('it was accepted')
}

describe('the agent_id argument', () => {
  it('names the agent of a call where the connection names none', () => {
    expect(aDirectory().identify(two(undefined, 'ada'))).toMatchObject({ id: 'ada' })
    expect(aDirectory().identify(two('', 'bob'))).toMatchObject({ id: 'bob' })
  })

  it('must agree with the header of the connection', async () => {
    expect(aDirectory().identify(two('ada', 'ada'))).toMatchObject({ id: 'ada' })
    expect(aDirectory().identify(two('ada', ''))).toMatchObject({ id: 'ada' })
    expect(await refusal(aDirectory(), two('ada', 'bob'))).toMatchObject({
      code: 'INVALID_AGENT_ID',
      message: "The X-Agent-Id header says agent 'ada', the agent_id argument says 'bob'",
      details: { hint: "Leave agent_id out, or pass 'ada'." },
    })
  })

  it('must agree with a key, and so must the header beside it', async () => {
    const keys = createFileKeyStore(tempFolder().file('keys.json'))
    const { secret } = await keys.create('ada')
    const directory = aDirectory({ keys })
    const withKey = (header: string, argument: string) => ({
      ...two(header, argument),
      credential: secret,
    })
    expect(directory.identify(withKey('ada', 'ada'))).toMatchObject({ id: 'ada', proof: 'key' })
    for (const spoofed of [withKey('ada', 'bob'), withKey('bob', 'ada')])
      expect(await refusal(directory, spoofed)).toMatchObject({
        message: "The credential belongs to agent 'ada', not to 'bob'",
      })
  })

  it('may be a handle that the agent of the header has a part in, and no other', async () => {
    const handles = createHandles(tempFolder().file('secret'))
    const mint = (parent: string) =>
      handles.mint({ parent: { id: parent }, agent: 'helper', ttlMs: 1000 }).secret
    const directory = aDirectory({ handles, credentialRequired: () => true })
    for (const header of ['ada', 'helper', undefined])
      expect(directory.identify(two(header, mint('ada')))).toMatchObject({ id: 'helper' })
    expect(await refusal(directory, two('eve', mint('ada')))).toMatchObject({
      message:
        "The handle of 'helper' was not minted by agent 'eve', whom the X-Agent-Id header names",
    })
  })
})
