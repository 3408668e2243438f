import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OAuthClient, useToken } from '../../test/support/sign-in/oauth-client.ts'
import { CALLBACK, withKey } from '../../test/support/sign-in/signing-client.ts'
import type { Attack, Field } from './report.ts'
import { MAIN, Rig } from './rig.ts'
import { hostile } from './servers.ts'

const run = promisify(execFile)

/** Attacks on the gateway as authorization server and as resource server. */
export const signIn: Attack = {
  name: 'sign-in',
  async run(field) {
    const rig = await Rig.open({
      servers: { open: hostile() },
      settings: { auth: { required: true, server: { enabled: true } } },
    })
    const env = {
      PATH: process.env['PATH'],
      HOME: rig.folder,
      PORTOLAN_HOME: join(rig.folder, 'home'),
    }
    const { stdout } = await run(process.execPath, [MAIN, 'keys', 'create', 'ada'], {
      cwd: rig.folder,
      env,
    })
    const key = /ptk_\S+/.exec(stdout)?.[0] ?? ''
    const { origin } = new URL(rig.url)
    try {
      await codes(field, origin, key)
      await requests(field, origin, key)
      await documents(field, origin)
      await forms(field, origin, key)
    } finally {
      await rig.discard()
    }
  },
}

async function codes(field: Field, origin: string, key: string): Promise<void> {
  const mcp = `${origin}/mcp`
  const client = await new OAuthClient(origin).register()
  const code = async () => client.code(withKey(key))
  await field.try('an honest client comes in', async () => {
    const { body } = await client.redeem(await code())
    return (await useToken(mcp, body.access_token)).status === 200
  })
  await field.try('code injection: without its verifier', async () => {
    const { status } = await client.redeem(await code(), { code_verifier: 'b'.repeat(43) })
    return status === 400
  })
  await field.try('code injection: by another client', async () => {
    const other = await new OAuthClient(origin).register()
    const { status } = await other.redeem(await code(), { code_verifier: client.verifier })
    return status === 400
  })
  await field.try('a code replayed, one after the other', async () => {
    const used = await code()
    const { body } = await client.redeem(used)
    const again = await client.redeem(used)
    return again.status === 400 && (await useToken(mcp, body.access_token)).status === 401
  })
  await field.try('a code redeemed ten times at once gives one token', async () => {
    const used = await code()
    const all = await Promise.all(Array.from({ length: 10 }, async () => client.redeem(used)))
    return all.filter(({ status }) => status === 200).length <= 1
  })
  await field.try('a used refresh token in the hands of another client', async () => {
    const { body } = await client.redeem(await code())
    const next = await client.refresh(body.refresh_token)
    const other = await new OAuthClient(origin).register()
    const stolen = await other.refresh(body.refresh_token)
    const after = await useToken(mcp, next.body.access_token)
    return next.status === 200 && stolen.status === 400 && after.status === 200
  })
  await field.try('all tokens of ten refreshes at once end with the sign-in', async () => {
    const { body } = await client.redeem(await code())
    const each = Array.from({ length: 10 }, async () => client.refresh(body.refresh_token))
    const tokens = (await Promise.all(each)).map((answer) => answer.body)
    await client.post('/oauth/revoke', { token: tokens[0]?.refresh_token ?? '' })
    const statuses = await Promise.all(
      tokens.map(async ({ access_token }) => (await useToken(mcp, access_token)).status),
    )
    return statuses.every((status) => status === 401)
  })
}

async function requests(field: Field, origin: string, key: string): Promise<void> {
  const client = await new OAuthClient(origin).register()
  for (const redirect_uri of [
    'https://evil.example/',
    `${CALLBACK}@evil.example`,
    `${CALLBACK}/../../evil`,
    `${CALLBACK}?x=1`,
    'javascript:alert(1)',
    '//evil.example',
  ])
    await field.try(`open redirect to ${redirect_uri}`, async () => {
      const page = await client.open({ redirect_uri })
      return page.status === 400 && page.url.origin === origin
    })
  for (const resource of ['https://bank.example/mcp', `${origin}.evil.example/mcp`, `${origin}/x`])
    await field.try(`a token for ${resource}`, async () => {
      const page = await client.open({ resource })
      return page.url.searchParams.get('error') === 'invalid_target'
    })
  await field.try('a token of one path at another', async () => {
    const code = await client.code(withKey(key), { resource: `${origin}/sse` })
    const { body } = await client.redeem(code)
    return (await useToken(`${origin}/mcp`, body.access_token)).status === 401
  })
  await field.try('no challenge', async () => {
    const page = await client.open({ code_challenge: '' })
    return page.url.searchParams.get('error') === 'invalid_request'
  })
  await field.try('a plain challenge', async () => {
    const page = await client.open({ code_challenge_method: 'plain' })
    return page.url.searchParams.get('error') === 'invalid_request'
  })
}

async function documents(field: Field, origin: string): Promise<void> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const client = new OAuthClient(origin)
  const hosts = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:7f00:1]',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
  ]
  for (const host of hosts)
    await field.try(`a metadata document at ${host}`, async () => {
      client.clientId = `https://${host}:${port}/client.json`
      const page = await client.open()
      return page.status === 400 && connections === 0
    })
  for (const id of ['https://169.254.169.254/', `http://127.0.0.1:${port}/`, 'file:///etc/passwd'])
    await field.try(`a metadata document at ${id}`, async () => {
      client.clientId = id
      return (await client.open()).status === 400 && connections === 0
    })
  server.close()
}

async function forms(field: Field, origin: string, key: string): Promise<void> {
  const client = await new OAuthClient(origin).register()
  const login = await client.open()
  await field.try('fixation: the sign-in of another browser', async () => {
    const victim = await new OAuthClient(origin).register()
    const page = await victim.browser.open(login.url.href, origin)
    return page.status === 400 && !page.text.includes('name="key"')
  })
  const consent = await client.browser.submit(login, { action: 'key', key })
  const token = /name="token" value="([^"]+)"/.exec(consent.text)?.[1] ?? ''
  const post = async (body: Record<string, string>, headers: Record<string, string>) =>
    client.browser.open(consent.url.href, origin, {
      method: 'POST',
      body: new URLSearchParams(body),
      headers,
    })
  const agreed = { action: 'allow', effect: 'read' }
  const forged: Readonly<Record<string, [Record<string, string>, Record<string, string>]>> = {
    'without its token': [agreed, { origin }],
    'with a token made up': [{ ...agreed, token: 'x'.repeat(43) }, { origin }],
    'from another site': [{ ...agreed, token }, { origin: 'https://evil.example' }],
    'from another program of this machine': [
      { ...agreed, token },
      { origin: 'http://localhost:1' },
    ],
    'from no page at all': [{ ...agreed, token }, {}],
  }
  for (const [name, [body, headers]] of Object.entries(forged))
    await field.try(`CSRF: consent ${name}`, async () => {
      const page = await post(body, headers)
      return page.status === 400 || page.status === 403
    })
  await field.try('the honest form', async () =>
    (await post({ ...agreed, token }, { origin })).url.searchParams.has('code'),
  )
}
