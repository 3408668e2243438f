import { expect, it } from 'vitest'
import { call, callUntilProgress, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { sharedHome } from '../support/shared-home.ts'
import { stdioUpstream } from '../support/start.ts'

const ONE = stdioUpstream()
const LATER = { ...stdioUpstream(), env: { ACCOUNT: '${ACCOUNT}' } }

it.each(['legacy', 'modern'] as const)(
  'a variable that a file names after a %s client joined has the value of that client, without a new session',
  async (era) => {
    const home = sharedHome({ one: ONE })
    const clients = await Promise.all(
      ['ada', 'bob'].map(async (account) => home.open({ era, env: { ACCOUNT: account } })),
    )
    const [ada] = clients
    if (!ada) throw new Error('no client')
    await ada.subscribe([])
    const gateway = await home.gateway()
    const inFlight = await callUntilProgress(ada, 'slow', { ms: 1500, steps: 3 })
    home.write('data/mcp.json', { mcpServers: { one: ONE, later: LATER } })
    for (const [index, client] of clients.entries()) {
      await expect
        .poll(async () => toolNames(client), { timeout: 20_000 })
        .toContain('later__whoami')
      const { env } = structured(await call(client, 'later__whoami'))
      expect(env).toMatchObject({ ACCOUNT: ['ada', 'bob'][index] })
    }
    expect(textOf(await inFlight.result)).not.toBe('')
    expect(ada.heard.map(({ method }) => method)).toContain('notifications/tools/list_changed')
    expect(await home.gateway()).toBe(gateway)
  },
)

it('a variable that only an untrusted file names is asked for once the file is trusted', async () => {
  const home = sharedHome({ one: ONE })
  home.write('work/.mcp.json', { mcpServers: { later: LATER } })
  const client = await home.open({ env: { ACCOUNT: 'ada' } })
  expect(await toolNames(client)).not.toContain('later__whoami')
  expect((await home.run('trust')).code).toBe(0)
  await expect.poll(async () => toolNames(client), { timeout: 20_000 }).toContain('later__whoami')
  const { env } = structured(await call(client, 'later__whoami'))
  expect(env).toMatchObject({ ACCOUNT: 'ada' })
})

it('a client stays where it is when a file names nothing new, or cannot be read', async () => {
  const home = sharedHome({ one: ONE })
  const client = await home.open({ env: { ACCOUNT: 'ada' } })
  const joinedAt = async () => {
    const { stdout } = await home.run('status', '--json')
    return JSON.parse(stdout).gateway.clients.map(({ since }: { since: string }) => since)
  }
  const before = await joinedAt()
  home.write('data/portolan.yaml', '{ "surface": ')
  home.write('data/mcp.json', { mcpServers: { one: ONE, other: LATER } })
  await expect.poll(() => home.read('data/gateway.log')).toMatch(/portolan\.yaml/)
  expect(await joinedAt()).toEqual(before)
  home.write('data/mcp.json', { mcpServers: { one: ONE, third: stdioUpstream() } })
  home.write('data/portolan.yaml', {})
  await expect.poll(async () => toolNames(client), { timeout: 20_000 }).toContain('third__whoami')
  expect(await joinedAt()).toEqual(before)
})
