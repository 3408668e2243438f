import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/base/json/json.ts'
import { execute, structured, textOf, valueOf, call } from '../support/clients/talk.ts'
import { localPass } from '../support/dashboard/local-pass.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SECRET = 'hunter2-of-the-database'
const SAID = [
  'starting 1.2.3',
  'Error: No access token was provided. Run `acme-mcp auth login`, or pass ACME_ACCESS_TOKEN.',
  `(tried with ${SECRET})`,
  '    at main (file:///acme/index.js:3:9)',
]
/** A server that says why it cannot start, and ends. */
const KEYLESS = {
  command: '/bin/sh',
  args: ['-c', `${SAID.map((line) => `echo '${line}' >&2`).join('; ')}; exit 1`],
  env: { DATABASE_PASSWORD: SECRET },
}
/** A server that works, and says what it was asked. */
const CHATTY = {
  command: '/bin/sh',
  args: ['-c', `echo 'asked for the password of ada' >&2; exec "$@"`, 'sh', ...commandOf()],
}

function commandOf(): string[] {
  const { command, args } = stdioUpstream()
  return [command, ...args]
}

function serversOf(status: unknown): Map<unknown, Record<string, unknown>> {
  const list = isObject(status) && Array.isArray(status['servers']) ? status['servers'] : []
  return new Map(list.filter(isObject).map((server) => [server['name'], server]))
}

describe('what a server wrote before it failed', () => {
  it('reaches the agent with the next step, without secrets and without stack frames', async () => {
    const gateway = await openGateway({ servers: { acme: KEYLESS, fine: CHATTY } })
    const client = await gateway.connect()
    const failed = await execute(client, 'acme', 'search')
    expect(failed['isError']).toBe(true)
    const text = textOf(failed)
    expect(text).toContain('its process exited with code 1')
    expect(text).toContain('No access token was provided')
    expect(text).toContain('portolan secrets set ACME_ACCESS_TOKEN')
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('at main')
    expect(structured(failed)['error']).toMatchObject({
      output: ['starting 1.2.3', SAID[1], '(tried with [redacted])'],
    })

    expect((await execute(client, 'fine', 'echo', { text: 'x' }))['isError']).toBeUndefined()
    const servers = async () => serversOf(valueOf(await call(client, 'get_gateway_status')))
    // It is started again after a while, and is not down then.
    await expect
      .poll(async () => (await servers()).get('acme'))
      .toMatchObject({
        state: 'down',
        output: expect.arrayContaining([SAID[1]]),
        next_step: expect.stringContaining('portolan secrets set ACME_ACCESS_TOKEN'),
      })
    // What a running server writes may be about other agents.
    const fine = (await servers()).get('fine')
    expect(fine).toMatchObject({ state: 'ready' })
    expect(fine).not.toHaveProperty('output')
  })

  it('is on the page of its server for people, of a running server too', async () => {
    const gateway = await openGateway({ servers: { acme: KEYLESS, fine: CHATTY } })
    const client = await gateway.connect()
    await execute(client, 'acme', 'search')
    await execute(client, 'fine', 'echo', { text: 'x' })
    const pageOf = async (name: string) =>
      (await fetch(`${gateway.url}/api/dashboard/servers/${name}`)).json()
    // It may be on its way up again, for the next time.
    await expect
      .poll(async () => pageOf('acme'))
      .toMatchObject({
        nextStep: expect.stringContaining('ACME_ACCESS_TOKEN'),
        output: expect.arrayContaining([
          { at: expect.stringMatching(/^20\d\d-.*Z$/), text: '(tried with [redacted])' },
          { at: expect.any(String), text: SAID[3] },
        ]),
      })
    expect(await pageOf('fine')).toMatchObject({
      nextStep: null,
      output: [{ text: 'asked for the password of ada' }],
    })
  })

  it('is in what doctor finds', async () => {
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { acme: KEYLESS } })
    const { code, stdout } = await runBuilt(folder, ['doctor'], { PORTOLAN_LISTEN_PORT: '0' })
    expect(code).toBe(1)
    expect(stdout).toContain('acme: its process exited with code 1')
    expect(stdout).toContain('│ Error: No access token was provided')
    expect(stdout).toContain('portolan secrets set ACME_ACCESS_TOKEN')
    expect(stdout).not.toContain(SECRET)
  })
})

describe('a restart from the dashboard', () => {
  it('starts a new process of that server, and of no other', async () => {
    const gateway = await openGateway({
      servers: { one: stdioUpstream(), two: stdioUpstream() },
    })
    const client = await gateway.connect()
    const pidOf = async (server: string) =>
      structured(await execute(client, server, 'whoami'))['pid']
    const before = [await pidOf('one'), await pidOf('two')]
    const restart = async (server: string) =>
      fetch(`${gateway.url}/api/dashboard/servers/${server}/restart`, {
        method: 'POST',
        headers: {
          'x-portolan-dashboard': '1',
          authorization: `Bearer ${localPass(gateway.folder.file('data'), gateway.url)}`,
        },
      })
    expect((await restart('one')).status).toBe(200)
    await expect.poll(async () => pidOf('one'), { timeout: 30_000 }).not.toBe(before[0])
    expect(await pidOf('two')).toBe(before[1])
    expect((await restart('none')).status).toBe(404)
  })
})
