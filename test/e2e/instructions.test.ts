import { expect, it } from 'vitest'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { call } from '../support/clients/talk.ts'
import { stdioUpstream } from '../support/start.ts'

const RULES = {
  agents: {
    admin: { allow: { servers: ['*'] } },
    reader: { allow: { servers: ['notes'] } },
    few: { allow: { servers: ['notes'], tools: { notes: ['echo'] } } },
  },
}

async function open(): Promise<Opened> {
  const gateway = await openGateway({
    servers: { notes: stdioUpstream(), secret: stdioUpstream() },
    rules: RULES,
    settings: { agents: { reader: { surface: 'direct' } } },
  })
  const admin = await gateway.connect({ headers: { 'x-agent-id': 'admin' } })
  for (const server of ['notes', 'secret']) await call(admin, `${server}__echo`, { text: 'warm' })
  return gateway
}

async function told(gateway: Opened, agent: string, query: string): Promise<unknown> {
  const client = await gateway.connect({ era: 'modern', headers: { 'x-agent-id': agent }, query })
  return (await client.request('server/discover'))['instructions']
}

it('tells a client how to use what it will see, and nothing of servers it may not know', async () => {
  const gateway = await open()
  expect(await told(gateway, 'admin', 'surface=direct')).toBe(
    '# notes\nA server for tests.\n\n# secret\nA server for tests.',
  )
  expect(await told(gateway, 'reader', '')).toBe('A server for tests.')
  expect(await told(gateway, 'admin', '')).toContain('find_tools searches')
})

it('follows the automatic surface: few tools are shown and introduced, many are searched', async () => {
  const gateway = await open()
  expect(await told(gateway, 'few', 'surface=auto')).toBe('A server for tests.')
  expect(await told(gateway, 'admin', 'surface=auto')).toContain('find_tools searches')
})

it('advises an agent that searches for tools to search the traces first, where it may', async () => {
  const gateway = await openGateway({
    servers: { notes: stdioUpstream() },
    rules: RULES,
    settings: { builtins: { traces: true } },
  })
  expect(await told(gateway, 'admin', '')).toMatch(/find_tools searches.*search_traces of traces/s)
  expect(await told(gateway, 'reader', '')).not.toContain('search_traces')
})

it('waits on the very first start for what servers say to those who see their tools directly', async () => {
  const gateway = await openGateway({
    servers: { notes: stdioUpstream(), secret: stdioUpstream() },
    rules: RULES,
  })
  expect(await told(gateway, 'admin', 'surface=direct')).toBe(
    '# notes\nA server for tests.\n\n# secret\nA server for tests.',
  )
})
