import { expect, inject, it, vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startGateway } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { runBuilt } from '../support/run-built.ts'
import { OAuthClient, useToken } from '../support/sign-in/oauth-client.ts'
import { withKey } from '../support/sign-in/signing-client.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

const statusAt = async (url: string, token: string) => (await useToken(`${url}/mcp`, token)).status

const POLL = { timeout: 30_000, interval: 100 }

/** The status of a request in a session that was opened elsewhere. */
async function statusIn(url: string, session: string, token: string): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-session-id': session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  return response.status
}

it('a client that signed in at one replica is known to the other, until its token is revoked', async () => {
  const env = {
    PORTOLAN_DATABASE_URL: await createDatabase(inject('postgresUrl')),
    PORTOLAN_SECRET_KEY: 'correct horse battery staple',
  }
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  async function replica(...args: string[]): Promise<string> {
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { files: stdioUpstream() } })
    folder.write('portolan.yaml', { listen: { publicUrl }, auth: { required: true } })
    return (await startGateway(folder, args, env)).url
  }
  const [one, two] = [await replica('--port', String(port)), await replica()]
  const key = (await runBuilt(tempFolder(), ['keys', 'create', 'ada'], env)).stdout.trim()

  const signIn = async () => {
    const client = await new OAuthClient(publicUrl).register()
    const { body } = await client.redeem(await client.code(withKey(key)))
    return { client, token: body.access_token, refreshToken: body.refresh_token }
  }
  const [ended, other] = [await signIn(), await signIn()]
  for (const url of [one, two])
    for (const { token } of [ended, other]) expect(await statusAt(url, token)).toBe(200)

  const opened = await useToken(`${one}/mcp`, other.token)
  const session = opened.headers.get('mcp-session-id') ?? ''
  const { body } = await other.client.refresh(other.refreshToken)
  for (const url of [two, one]) {
    expect(await statusIn(url, session, body.access_token), 'a refreshed token').toBe(200)
    expect(await statusIn(url, session, ended.token), 'another sign-in').toBe(404)
  }

  const { status } = await ended.client.post('/oauth/revoke', { token: ended.token })
  expect(status).toBe(200)
  expect(await statusAt(one, ended.token)).toBe(401)
  await expect.poll(async () => statusAt(two, ended.token), POLL).toBe(401)
  for (const url of [one, two]) expect(await statusAt(url, body.access_token)).toBe(200)
})
