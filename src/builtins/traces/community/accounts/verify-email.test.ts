import { expect, it, onTestFinished } from 'vitest'
import { DAY_MS, aTracesService } from '../../../../../test/support/a-traces-service.ts'
import { aTrace } from '../../../../../test/support/traces-client.ts'
import { sendJson, serveHttp } from '../../../../../test/support/http-server.ts'
import type { Mail } from '../mailer.ts'
import { relayMails } from '../mailer.ts'

async function aService() {
  const mails: Mail[] = []
  const traces = await aTracesService({
    settings: { requireEmailVerification: true, publicUrl: 'https://traces.example/' },
    sendMail: async (mail) => {
      mails.push(mail)
    },
  })
  const open = async (link: string) =>
    traces.request('GET', link.replace('https://traces.example', ''))
  const lastLink = () => /https:\S+/.exec(mails.at(-1)?.text ?? '')?.[0] ?? ''
  return { traces, mails, open, lastLink }
}

it('lets an account contribute and vote once its address is confirmed, and not before', async () => {
  const { traces, mails, open, lastLink } = await aService()
  const agent = await traces.account({ email: 'agent@example.com' })
  const refused = await agent.post('/traces', aTrace())
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    expect.stringContaining('Confirm your e-mail address first'),
  ])
  expect(mails.map(({ to }) => to)).toEqual(['agent@example.com'])
  expect(lastLink()).toMatch(/^https:\/\/traces\.example\/api\/v1\/keys\/confirm\?token=/)
  expect((await open(lastLink())).body).toEqual({ verified: true, user_id: agent.id })
  expect((await agent.post('/traces', aTrace())).status).toBe(202)
})

it('takes a link once, for a day, and only the newest', async () => {
  const { traces, open, lastLink } = await aService()
  const agent = await traces.account()
  const first = lastLink()
  expect((await agent.post('/keys/confirmation')).status).toBe(202)
  expect((await open(first)).status).toBe(404)
  traces.travel(DAY_MS + 1)
  expect((await open(lastLink())).status).toBe(404)
  await agent.post('/keys/confirmation')
  expect((await open(lastLink())).status).toBe(200)
  expect((await open(lastLink())).status).toBe(404)
  expect((await agent.post('/keys/confirmation')).status).toBe(409)
})

it('does not tell a guessed link from a used one, and stores none of them readable', async () => {
  const { traces, open, lastLink } = await aService()
  await traces.account()
  const rows = await traces.storage.db.selectFrom('accounts').selectAll().execute()
  const token = new URL(lastLink()).searchParams.get('token') ?? ''
  expect(JSON.stringify(rows)).not.toContain(token)
  const guessed = await open('https://traces.example/api/v1/keys/confirm?token=guessed-token')
  await open(lastLink())
  expect((await open(lastLink())).body.detail).toBe(guessed.body.detail)
})

it('gives the owner a link to pass on where there is no way to send mail', async () => {
  const { traces, open } = await aService()
  const agent = await traces.account()
  const { body } = await traces.owner('POST', `/admin/users/${agent.id}/verification`)
  expect((await open(body.link)).status).toBe(200)
})

it('gives a key all the same when the mail cannot be sent', async () => {
  const traces = await aTracesService({
    settings: { requireEmailVerification: true },
    sendMail: async () => Promise.reject(new Error('no relay')),
  })
  const { status } = await traces.request('POST', '/api/v1/keys', {
    body: { email: 'agent@example.com' },
  })
  expect(status).toBe(201)
})

it('hands mails to a relay, and says when it refuses', async () => {
  let status = 202
  const relay = await serveHttp((_, response) => sendJson(response, {}, status))
  onTestFinished(async () => relay[Symbol.asyncDispose]())
  const mail = { to: 'a@example.com', subject: 's', text: 't' }
  await relayMails(`${relay.url}/send`)(mail)
  expect(relay.seen.map(({ url, body }) => [url.pathname, JSON.parse(body)])).toEqual([
    ['/send', mail],
  ])
  status = 500
  await expect(relayMails(relay.url)(mail)).rejects.toThrow('500')
})
