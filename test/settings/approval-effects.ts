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
  const { approvals } = app
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- The question is there soon.
    const [first] = await approvals.list()
    if (first) return { approvals, answer, first }
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
  'approvals.fourEyes': effect('true', approveOwn, ['approved', 'refused']),
}
