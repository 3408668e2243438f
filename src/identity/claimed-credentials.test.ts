import { expect, it } from 'vitest'
import type { Caller } from '../gateway/call.ts'
import { createDirectory } from './directory.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r'
const directory = createDirectory({ rules: undefined, credentialRequired: () => false })

const claiming = (claimedAgent: string, credential?: string): Caller => ({
  transport: 'http',
  claimedAgent,
  credential,
})

async function refusal(caller: Caller): Promise<unknown> {
  return Promise.resolve()
    .then(async () => directory.identify(caller))
    .catch((error: unknown) => error)
}

it.each(['ptk_0123456789ab_secret', 'pth_payload.signature', jwt, `Bearer ${jwt}`])(
  'a credential is not taken for the name of an agent, nor repeated: %s',
  async (claimed) => {
    for (const caller of [claiming(claimed), claiming(claimed, 'ptk_other')]) {
      const refused = await refusal(caller)
      expect(refused).toMatchObject({
        code: 'INVALID_AGENT_ID',
        message: expect.stringContaining('send that as Authorization: Bearer'),
      })
      expect(JSON.stringify(refused) + String(refused)).not.toContain(claimed)
    }
  },
)

it.each(['ptk', 'pthread', 'eyJack', 'sk-learn-helper-agent', 'agent-8c7f0f0e-0000-4000-8000'])(
  '%s is the name of an agent',
  (claimed) => {
    expect(directory.identify(claiming(claimed))).toMatchObject({ id: claimed })
  },
)
