import { Canceller } from '../../base/flow/signal.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { ERAS } from '../../protocol/eras/eras.ts'
import { LOCAL_PERSON, personOf } from '../agents/on-behalf-of.ts'
import type { Authorized } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { canAnswer } from '../questions/ask-client.ts'
import type { Approval, Bond, Question, RuleChange } from './approval.ts'
import type { Approvals } from './approvals.ts'
import { fromElicitation, toElicitation } from './elicitation.ts'
import { whyNotAnswer } from './who-may-answer.ts'

export interface AskingParts {
  readonly approvals: Approvals
  /** Prepares the change of the rules that an answer for always makes. */
  readonly prepareAlways: (approval: Approval) => Promise<RuleChange>
}

/** What is asked about: one call, or the calls of a plan. */
export interface Subject {
  readonly bond: Bond
  readonly toQuestion: () => Promise<Question>
}

/** The call in whose name a person is asked. */
export type Asker = Pick<Authorized, 'agent' | 'client' | 'params' | 'signal' | 'event'>

interface Waiting {
  readonly subject: Subject
  readonly call: Asker
  readonly ms: number
  /** How long it waits if the client could not show the question to a person. */
  readonly notShownMs: number
}

/** Returns what is known about a subject, and uses an approval up that is for one call. */
export async function claim(
  approvals: Approvals,
  { bond, toQuestion }: Subject,
  { event }: Asker,
): Promise<Approval> {
  return approvals.claim(bond, event.id, toQuestion)
}

export function isApproved({ state }: Approval): boolean {
  return state === 'approved' || state === 'used'
}

/** Waits for an answer, in every way there is, and returns what it is then. */
export async function answerOf(
  parts: AskingParts,
  asked: Approval,
  { subject, call, ms, notShownMs }: Waiting,
): Promise<Approval> {
  const { approvals } = parts
  const over = new Canceller()
  const asking = canBeAskedNow(approvals, asked, call)
    ? askClient(parts, asked, { ...call, signal: over }).catch(() => undefined)
    : undefined
  const stop = reportWaiting(asked, call)
  try {
    const looking = approvals.answered(asked.id, ms, call.signal)
    const shown = asking?.then(
      async (isAnswered) =>
        isAnswered === true || approvals.answered(asked.id, notShownMs, call.signal),
    )
    await (shown ? Promise.race([looking, shown]) : looking)
  } finally {
    stop()
    over.abort(new Error('The question was answered elsewhere'))
  }
  if (call.signal.aborted) throw call.signal.reason
  const now = await approvals.find(asked.id)
  return now && now.state !== 'approved' && now.state !== 'used'
    ? now
    : claim(approvals, subject, call)
}

/** Whether the person at this client may answer, and the client can show the question. */
export function canBeAskedNow(
  { options }: Approvals,
  { question }: Approval,
  call: Asker,
): boolean {
  if (!canAnswer(call.client, 'elicitation/create')) return false
  return whyNotAnswer(question, atClient(call), options) === undefined
}

function atClient({ agent }: Pick<Asker, 'agent'>) {
  return {
    name: agent.person?.user ?? personOf(agent),
    person: personOf(agent),
    groups: agent.person?.groups ?? [],
    isAdmin: false,
    via: 'client' as const,
  }
}

/** Nobody reads a question in less: programs without a person at them refuse it at once. */
const MIN_READING_MS = 1_000

/** Returns whether a person has answered. */
async function askClient(
  { approvals, prepareAlways }: AskingParts,
  asked: Approval,
  call: Asker,
): Promise<boolean> {
  const { client, signal } = call
  const { exception, person } = asked.question
  // The rules are those of the person at this machine, whose client it is.
  const mayChange = exception && person === LOCAL_PERSON && client.transport === 'stdio'
  const change = mayChange ? await prepareAlways(asked).catch(() => undefined) : undefined
  const params = toElicitation(asked, { hasSession: ERAS[client.era].hasSession, change })
  const askedAt = performance.now()
  const said = await client.request('elicitation/create', params, { signal })
  if (said['action'] !== 'accept' && performance.now() - askedAt < MIN_READING_MS) return false
  const dismissed = { approve: false, reason: 'the question was dismissed' } as const
  const answer = fromElicitation(said, change) ?? dismissed
  await approvals.answer(asked.id, answer, atClient(call))
  return true
}

const REPORT_EVERY_MS = 5_000

/** Tells a client that wants to know of progress what its call waits for. */
function reportWaiting({ id }: Approval, { client, params }: Asker): () => void {
  const meta = params['_meta']
  const token = isObject(meta) ? meta['progressToken'] : undefined
  let progress = 0
  const report = () => {
    const message = `Waits for approval ${id}`
    client.notify('notifications/progress', { progressToken: token, progress: ++progress, message })
  }
  if (token === undefined) return () => undefined
  report()
  const timer = setInterval(report, REPORT_EVERY_MS)
  return () => clearInterval(timer)
}

/** The error for the agent of a call that nobody has approved. */
export function notApproved(approval: Approval): GatewayError {
  const { state, id, answeredBy, reason, question } = approval
  const about: JsonObject = { approval: id }
  if (state === 'pending')
    return new GatewayError(
      'APPROVAL_PENDING',
      `APPROVAL_PENDING: approval ${id} is needed to call '${question.tool}' on server '${question.server}', and nobody has answered yet`,
      {
        rule: question.rule,
        reason: 'approval_pending',
        data: about,
        hint: `Nothing was sent. Tell the person: \`portolan approvals approve ${id}\`, or the Approvals page. Then make the same call again.`,
      },
    )
  const why = reason === undefined ? '' : `: ${reason}`
  const message =
    state === 'expired'
      ? `Nobody answered approval ${id} in time, which counts as a denial`
      : `${answeredBy ?? 'A person'} denied this call (approval ${id})${why}`
  return new GatewayError('DENIED_BY_POLICY', message, {
    rule: question.rule,
    reason: state === 'expired' ? 'approval_expired' : 'approval_denied',
    data: about,
    hint: 'Nothing was sent. Do not make the same call again; ask the person what to do instead.',
  })
}
