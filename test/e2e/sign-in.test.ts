import { expect, it } from 'vitest'
import { SigningClient, withKey } from '../support/sign-in/signing-client.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'

it.each(['legacy', 'modern'] as const)(
  'takes a %s client from the bare address to its first call',
  async (era) => {
    const gateway = await startWithSignIn()
    const person = new SigningClient(`${gateway.url}/mcp`, withKey(gateway.key))
    const client = await person.connect(era)
    const answer = await client.callTool({
      name: 'execute_tool',
      arguments: { server: 'files', tool: 'echo', args: { text: 'ahoy' } },
    })
    expect(JSON.stringify(answer)).toContain('ahoy')
    expect(person.signIns).toBe(1)
    expect(person.held?.refresh_token).toMatch(/^ptr_/)
    await client.close()
  },
)
