import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { type JsonObject, isObject, parseObject } from '../../src/base/json/json.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { type SeenRequest, sendJson, serveHttp } from '../support/http-server.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'

const SECRET = 'a secret of this test alone'

/** A receiver that answers with these statuses, one after the other, the last for ever. */
async function aReceiver(...statuses: number[]) {
  const seen: SeenRequest[] = []
  const server = await serveHttp((request, response) => {
    const status = statuses[Math.min(seen.length, statuses.length - 1)] ?? 204
    seen.push(request)
    sendJson(response, {}, status)
  })
  onTestFinished(async () => server[Symbol.asyncDispose]())
  return { url: `${server.url}/hook`, seen }
}

async function aGateway(webhook: JsonObject, approvals: JsonObject = {}) {
  const gateway = await openGateway({
    servers: { one: stdioUpstream() },
    rules: { agents: { ada: { allow: { servers: ['*'] }, ask: { tools: { one: ['echo'] } } } } },
    settings: {
      approvals: {
        waitMs: 100,
        ...approvals,
        webhook: { secret: '${HOOK_SECRET}', allowPrivate: true, ...webhook },
      },
    },
    env: { HOOK_SECRET: SECRET },
  })
  const client = await gateway.connect({
    headers: { 'x-agent-id': 'ada' },
    capabilities: { roots: {} },
  })
  return {
    ...gateway,
    echo: async (text = 'hello') => textOf(await call(client, 'echo', { text })),
  }
}

/** As a receiver checks it, by the rules of Standard Webhooks. */
function isSignedWith(secret: string, request: SeenRequest | undefined): boolean {
  const { headers = {}, body = '' } = request ?? {}
  const names = ['webhook-id', 'webhook-timestamp'].map((name) => String(headers[name]))
  const text = [...names, body].join('.')
  const signature = createHmac('sha256', secret).update(text).digest('base64')
  return headers['webhook-signature'] === `v1,${signature}`
}

const dataOf = ({ body }: SeenRequest): JsonObject => {
  const { data } = parseObject(body) ?? {}
  return isObject(data) ? data : {}
}

async function linkIn(seen: readonly SeenRequest[]): Promise<string> {
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThan(0)
  return String(seen.map(dataOf).at(-1)?.['link'])
}

const send = async (link: string, body: string, headers: Record<string, string> = {}) =>
  fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  })

it('tells a webhook, signed, and the link in it opens a page that answers by its buttons only', async () => {
  const { url, seen } = await aReceiver(200)
  const { echo } = await aGateway({ url })
  expect(await echo()).toContain('APPROVAL_PENDING')
  const link = await linkIn(seen)
  expect(isSignedWith(SECRET, seen[0])).toBe(true)
  const body = seen[0]?.body ?? ''
  expect(parseObject(body)).toMatchObject({
    type: 'approval.asked',
    text: expect.stringContaining('ada wants to call one.echo'),
    data: { agent: 'ada', tool: 'echo', arguments: '{"text":"hello"}' },
  })
  expect(body).not.toContain(SECRET)

  for (const method of ['GET', 'HEAD', 'GET'])
    expect((await fetch(link, { method })).status).toBe(200)
  expect(await echo(), 'a chat that opens links approves nothing').toContain('APPROVAL_PENDING')
  const page = await (await fetch(link)).text()
  expect(page).toContain('Approve once')
  expect(page).toContain('{&quot;text&quot;:&quot;hello&quot;}')

  const forged = [
    link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    link.replace(/approve\/[0-9a-f]+/, 'approve/0123456789'),
    link.replace(/[^/]+$/, 'x'),
  ]
  for (const each of forged) {
    expect((await fetch(each)).status).toBe(404)
    expect((await send(each, 'decision=once')).status).toBe(404)
  }
  const elsewhere = { origin: 'https://evil.example' }
  expect((await send(link, 'decision=once', elsewhere)).status).toBe(403)
  expect((await fetch(link, { method: 'PUT', body: 'decision=once' })).status).toBe(405)
  expect(await echo()).toContain('APPROVAL_PENDING')

  const answered = await send(link, 'decision=once')
  expect(await answered.text()).toContain('Approved by somebody with the link')
  expect((await send(link, 'decision=once')).status, 'it answers once').toBe(409)
  expect(await echo()).toBe('hello')
  expect(await echo()).toContain('APPROVAL_PENDING')
})

it('a link denies with a reason, and is over when the question is', async () => {
  const { url, seen } = await aReceiver(200)
  const { echo } = await aGateway({ url }, { expireMs: 2_000 })
  await echo()
  await send(await linkIn(seen), 'decision=deny&reason=not+today')
  expect(await echo()).toContain('not today')
  await echo('again')
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(2)
  const link = await linkIn(seen)
  await new Promise((resolve) => setTimeout(resolve, 2_200))
  expect(await (await fetch(link)).text()).toContain('Nobody answered in time')
  expect((await send(link, 'decision=once')).status).toBe(409)
  expect(await echo('again')).toContain('APPROVAL_PENDING')
})

it('a link does not answer where it matters who does', async () => {
  const { url, seen } = await aReceiver(200)
  const { echo } = await aGateway({ url }, { fourEyes: true })
  await echo()
  const link = await linkIn(seen)
  const page = await (await fetch(link)).text()
  expect(page).toContain('a link does not tell who opens it')
  expect(page).not.toContain('Approve once')
  expect((await send(link, 'decision=once')).status).toBe(409)
  expect(await echo()).toContain('APPROVAL_PENDING')
})

it('tries again where that may help, and says by name what failed', async () => {
  const { url, seen } = await aReceiver(503, 200)
  const good = await aGateway({ url })
  await good.echo()
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(2)
  expect(seen[0]?.headers['webhook-id'], 'the receiver knows it again').toBe(
    seen[1]?.headers['webhook-id'],
  )

  const gone = await aReceiver(410)
  const bad = await aGateway({ url: gone.url })
  await bad.echo()
  const audit = () => readFileSync(bad.folder.file('data/audit.jsonl'), 'utf8')
  await expect.poll(audit, { timeout: 20_000 }).toContain('approvals.undelivered')
  expect(audit()).toContain('it answered 410')
  expect(gone.seen).toHaveLength(1)
})

it.each([
  ['an address of this network', { allowPrivate: false }, 'see approvals.webhook.allowPrivate'],
  ['a missing variable', { secret: '${NOT_SET}' }, 'portolan secrets set NOT_SET'],
])('is not sent to %s', async (_, more, said) => {
  const { url, seen } = await aReceiver(200)
  const { echo, folder } = await aGateway({ url, ...more })
  expect(await echo()).toContain('APPROVAL_PENDING')
  const audit = () => readFileSync(folder.file('data/audit.jsonl'), 'utf8')
  await expect.poll(audit, { timeout: 20_000 }).toContain(said)
  expect(seen).toEqual([])
})

it('takes its secret from those that are stored', async () => {
  const { url, seen } = await aReceiver(200)
  const gateway = await aGateway({ url, secret: '${STORED}' })
  const { code } = await runCli(gateway.folder, ['secrets', 'set', 'STORED'], {}, 'kept one\n')
  expect(code).toBe(0)
  await gateway.echo()
  await linkIn(seen)
  expect(isSignedWith(SECRET, seen[0])).toBe(false)
  expect(isSignedWith('kept one', seen[0])).toBe(true)
})
