import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Caller } from '../gateway/call.ts'
import type { Rules } from '../gateway/agents/rules.ts'
import { agentOfClient } from './client-agent.ts'
import { type DirectoryOptions, createDirectory } from './directory.ts'
import { createFileKeyStore } from './file-key-store.ts'

// What these clients send in `clientInfo`.
it.each([
  ['claude-code', 'claude-code'],
  ['claude-ai', 'claude-desktop'],
  ['codex-mcp-client', 'codex'],
  ['gemini-cli-mcp-client-portolan', 'gemini'],
  ['Cursor', 'cursor'],
  ['cursor-vscode', 'cursor'],
  ['Visual Studio Code', 'vscode'],
  ['opencode', 'opencode'],
  ['claude-code (via mcp-remote 0.1.29)', 'claude-code'],
  ['My own App 2!', 'my-own-app-2'],
  ['../../etc', 'etc'],
  ['own-app (via a (proxy)) more', 'own-app'],
  ['a   b...', 'a-b'],
  [`${' '.repeat(300)}late`, undefined],
  [`x${'y'.repeat(1000)}`, `x${'y'.repeat(39)}`],
])('%s is the agent %s', (client, agent) => {
  expect(agentOfClient(client)).toBe(agent)
})

it('is nobody without a name', () => {
  expect(agentOfClient(undefined)).toBeUndefined()
  expect(agentOfClient('')).toBeUndefined()
  expect(agentOfClient('日本語')).toBeUndefined()
})

const caller: Caller = { transport: 'http', credential: undefined, claimedAgent: undefined }

const aClient = (name: string) => ({ info: { name } })

const rulesFor = (agents: string[], denyOnMissingAgent = false): Rules => ({
  agents: Object.fromEntries(agents.map((id) => [id, { allow: { servers: ['*'] } }])),
  denyOnMissingAgent,
})

const aDirectory = (options: Partial<DirectoryOptions> = {}) =>
  createDirectory({ rules: undefined, credentialRequired: () => false, ...options })
const directoryOf = (rules: Rules) => aDirectory({ rules })

async function refusal(directory: ReturnType<typeof aDirectory>, client: { info: JsonObject }) {
  return Promise.resolve()
    .then(async () => directory.identify(caller, client))
    .then(
      () => undefined,
      (error: unknown) => error,
    )
}

describe('a client without a credential', () => {
  const claude = aClient('claude-code')

  it('is named after itself, within the rights of the agent for callers that name none', async () => {
    const named = { id: 'claude-code', proof: 'fallback', ancestors: ['default'] }
    expect(await aDirectory().identify(caller, claude)).toEqual(named)
    expect(await directoryOf(rulesFor(['default'])).identify(caller, claude)).toEqual(named)
    expect(
      await directoryOf(rulesFor(['default', 'claude-code'])).identify(caller, claude),
    ).toEqual(named)
    const codex = aClient('codex-mcp-client')
    expect(await aDirectory().identify(caller, codex)).toMatchObject({ id: 'codex' })
  })

  it('cannot become an agent by its name where there is none for callers that name none', async () => {
    expect(await refusal(directoryOf(rulesFor(['claude-code'])), claude)).toMatchObject({
      code: 'NO_FALLBACK_CONFIGURED',
    })
    expect(await refusal(directoryOf(rulesFor(['claude-code'], true)), claude)).toMatchObject({
      code: 'INVALID_AGENT_ID',
    })
    expect(await refusal(aDirectory({ credentialRequired: () => true }), claude)).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })

  it('is whom the operator or the call names, where they do', async () => {
    expect(await aDirectory({ defaultAgent: 'ci' }).identify(caller, claude)).toEqual({
      id: 'ci',
      proof: 'fallback',
    })
    expect(await aDirectory().identify({ ...caller, claimedAgent: 'ada' }, claude)).toEqual({
      id: 'ada',
      proof: 'claim',
    })
    const keys = createFileKeyStore(tempFolder().file('keys.json'))
    const { secret } = await keys.create('ada', {})
    const directory = aDirectory({ keys, credentialRequired: () => true })
    expect(await directory.identify({ ...caller, credential: secret }, claude)).toMatchObject({
      id: 'ada',
      proof: 'key',
    })
  })
})
