import { createHmac } from 'node:crypto'
import { sendJson, serveHttp } from '../support/http-server.ts'
import { type Effects, beside, effect } from './effect.ts'
import { openToy } from './open-toy.ts'

const RULES = {
  agents: { ada: { allow: { servers: ['*'] }, ask: { tools: { toy: ['echo'] } } } },
}
const HER = { agent: 'ada' }

/** A gateway where a person has to approve a call, and the question about one. */
async function asked(env: Record<string, string>) {
  const { app, call } = await openToy(env, { rules: RULES })
  const answer = call('toy__echo', { text: 'hello' }, HER)
  answer.catch(() => undefined)
  const { approvals } = app
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- The question is there soon.
    const [first] = await approvals.list()
    if (first) return { app, approvals, answer, first }
    // oxlint-disable-next-line no-await-in-loop -- One look after the other.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Whether a person without a group may approve a call in their own name. */
async function approveOwn(env: Record<string, string>) {
  const { approvals, first } = await asked(env)
  const { person } = first.question
  const who = { name: 'ada', person, groups: [], isAdmin: false, via: 'command' } as const
  const { state } = await approvals
    .answer(first.id, { approve: true, scope: 'once' }, who)
    .catch(() => ({ state: 'refused' }))
  return state
}

/** What a receiver hears of the first question, and the signature that it comes with. */
async function toldBy(env: Record<string, string>) {
  const { url, seen } = await receiver()
  seen.splice(0)
  const { first, app } = await asked({ PORTOLAN_APPROVALS_WEBHOOK_URL: url, ...env })
  const isOver = () => app.feed.recent().some(({ tool }) => tool === 'approvals.undelivered')
  while (seen.length === 0 && !isOver()) await new Promise((resolve) => setTimeout(resolve, 10))
  const [told] = seen
  if (!told) return 'nothing'
  const { headers, body } = told
  const secret = env['PORTOLAN_APPROVALS_WEBHOOK_SECRET'] ?? ''
  const signed = `${first.id}.${String(headers['webhook-timestamp'])}.${body}`
  const expected = createHmac('sha256', secret).update(signed).digest('base64')
  return headers['webhook-signature'] === `v1,${expected}` ? 'a signed question' : 'a question'
}

let opened: ReturnType<typeof serveHttp> | undefined

/** A receiver of webhooks, the same for every row. */
async function receiver() {
  opened ??= serveHttp((_, response) => sendJson(response, {}))
  return opened
}

const SIGNED = { PORTOLAN_APPROVALS_WEBHOOK_SECRET: 'one of this test' }
const TO_LOOPBACK = { PORTOLAN_APPROVALS_WEBHOOK_ALLOW_PRIVATE: 'true' }

/** Whether the settings are complete enough to say anything. */
async function orRefused(env: Record<string, string>) {
  return toldBy(env).catch(() => 'refused')
}

/** The section `approvals`. */
export const APPROVALS: Effects = {
  'approvals.waitMs': effect(
    '50',
    async (env) => {
      const { answer } = await asked(env)
      const soon = new Promise((resolve) => setTimeout(resolve, 2000, 'still waits'))
      return Promise.race([answer, soon])
    },
    ['still waits', 'APPROVAL_PENDING'],
  ),
  'approvals.expireMs': effect(
    '60000',
    beside({ PORTOLAN_APPROVALS_WAIT_MS: '50' }, async (env) => {
      const { expiresAt, createdAt } = (await asked(env)).first
      return Math.round((expiresAt - createdAt) / 1000)
    }),
    [600, 60],
  ),
  'approvals.approvers': effect('leads', approveOwn, ['approved', 'refused']),
  'approvals.webhook.url': effect(
    async () => (await receiver()).url,
    async (env) => {
      const { seen } = await receiver()
      const all =
        'PORTOLAN_APPROVALS_WEBHOOK_URL' in env ? { ...env, ...SIGNED, ...TO_LOOPBACK } : env
      seen.splice(0)
      await asked(all)
      for (let n = 0; n < 100 && seen.length === 0; n++)
        await new Promise((resolve) => setTimeout(resolve, 10))
      return seen.length
    },
    [0, 1],
  ),
  'approvals.webhook.secret': effect('one of this test', beside(TO_LOOPBACK, orRefused), [
    'refused',
    'a signed question',
  ]),
  'approvals.webhook.allowPrivate': effect('true', beside(SIGNED, toldBy), [
    'nothing',
    'a signed question',
  ]),
  'approvals.fourEyes': effect('true', approveOwn, ['approved', 'refused']),
}
