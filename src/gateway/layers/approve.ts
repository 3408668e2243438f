import { Canceller } from '../../base/flow/signal.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { ERAS } from '../../protocol/eras/eras.ts'
import { LOCAL_PERSON, personOf } from '../agents/on-behalf-of.ts'
import { lineageOf } from '../agents/policy.ts'
import {
  type Approval,
  type Exception,
  type Question,
  type RuleChange,
  bondOf,
} from '../approvals/approval.ts'
import type { Approvals } from '../approvals/approvals.ts'
import { fromElicitation, toElicitation } from '../approvals/elicitation.ts'
import { whyNotAnswer } from '../approvals/who-may-answer.ts'
import type { Authorized, CallResult, Client } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Handler, Layer } from '../pipeline.ts'
import { canAnswer } from '../questions/ask-client.ts'
import { withDefaults } from './judge.ts'
import type { TaskKeeper } from './tasks.ts'
import { shownName } from '../tools/tool-ref.ts'
import { shapeOf, withoutKeys } from '../validation/shape-arguments.ts'

const ASKED_ABOUT = new Set(['tools/call', 'resources/read', 'prompts/get'])

/**
 * Asks a person before a call, where a rule of `ask` says so, and uses the approval up before the
 * call goes on. Outside `cache`, whose results need the same question.
 */
export function approve(
  parts: AskingParts | undefined,
  tasks: TaskKeeper,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) => {
    if (!call.grant.ask || !ASKED_ABOUT.has(call.method)) return next(call)
    if (!parts) throw new GatewayError('DENIED_BY_POLICY', 'Nobody can be asked here')
    return approveFirst(parts, tasks, call, next)
  }
}

export interface AskingParts {
  readonly approvals: Approvals
  /** Prepares the change of the rules that an answer for always makes. */
  readonly prepareAlways: (approval: Approval) => Promise<RuleChange>
}

async function approveFirst(
  parts: AskingParts,
  tasks: TaskKeeper,
  call: Authorized,
  next: Handler<Authorized, CallResult>,
): Promise<CallResult> {
  const { approvals } = parts
  const first = await claim(approvals, call)
  if (first.state !== 'pending') return goOn(first, call, next)
  const patient = async (waiting: Authorized) => {
    const end = await answerOf(parts, first, waiting, approvals.options.expireMs)
    return goOn(end, waiting, next)
  }
  if (tasks.takes(call)) return tasks.keep(call, patient)
  const canAsk = canBeAskedNow(approvals, first, call)
  if (canAsk) return patient(call)
  return goOn(await answerOf(parts, first, call, approvals.options.waitMs), call, next)
}

async function claim(approvals: Approvals, call: Authorized): Promise<Approval> {
  return approvals.claim(bondOf(call), call.event.id, async () => toQuestion(call))
}

async function toQuestion(call: Authorized): Promise<Question> {
  const { agent, upstream, tool, grant, params, client, event } = call
  const project = await client.project().catch(() => undefined)
  const { arguments: args = {}, name, uri } = params
  const shown = hide(stringifyExact(withoutKeys(call, args)))
  return {
    agent: lineageOf(agent),
    person: personOf(agent),
    client: event.client ?? nameOf(client),
    ...(project && { folder: project.path }),
    server: upstream.name,
    tool: tool?.name ?? String(name ?? uri),
    ...(tool && shownName(tool) !== tool.name && { shownAs: shownName(tool) }),
    arguments: shown,
    rule: grant.ask?.rule ?? '',
    exception: exceptionFor(call, shown),
    key: agent.key,
  }
}

const MAX_EXCEPTION = 8_000

/** Returns what could be left out of the questions of a rule: arguments that are whole in a file. */
function exceptionFor(call: Authorized, shown: string): Exception | undefined {
  const { tool, grant, params, event } = call
  const { arguments: args } = params
  if (!tool || !grant.ask?.rule.includes('.ask.tools.') || !isObject(args)) return undefined
  // The entry has a condition then, which is judged with the defaults of the tool.
  const schema = shapeOf(call)?.schema ?? tool.definition['inputSchema']
  const whole = stringifyExact(isObject(schema) ? withDefaults(schema, args) : args)
  const isExact = JSON.stringify(JSON.parse(whole)) === whole && stringifyExact(args) === shown
  return isExact && whole.length <= MAX_EXCEPTION
    ? { source: grant.ask.source, arguments: whole, folder: event.folder }
    : undefined
}

function nameOf({ info }: Client): string | undefined {
  return typeof info?.['name'] === 'string' ? info['name'] : undefined
}

/** Waits for an answer, in every way there is, and returns what it is then. */
async function answerOf(
  parts: AskingParts,
  asked: Approval,
  call: Authorized,
  ms: number,
): Promise<Approval> {
  const { approvals } = parts
  const over = new Canceller()
  const asking = canBeAskedNow(approvals, asked, call)
    ? askClient(parts, asked, { ...call, signal: over }).catch(() => undefined)
    : undefined
  const stop = reportWaiting(asked, call)
  try {
    const looking = approvals.answered(asked.id, ms, call.signal)
    const dismissed = asking?.then(async (isAnswered) => isAnswered === true || looking)
    await (dismissed ? Promise.race([looking, dismissed]) : looking)
  } finally {
    stop()
    over.abort(new Error('The question was answered elsewhere'))
  }
  if (call.signal.aborted) throw call.signal.reason
  const now = await approvals.find(asked.id)
  return now && now.state !== 'approved' && now.state !== 'used' ? now : claim(approvals, call)
}

/** Whether the person at this client may answer, and the client can show the question. */
function canBeAskedNow({ options }: Approvals, { question }: Approval, call: Authorized): boolean {
  if (!canAnswer(call.client, 'elicitation/create')) return false
  return whyNotAnswer(question, atClient(call), options) === undefined
}

function atClient({ agent }: Authorized) {
  return {
    name: agent.person?.user ?? personOf(agent),
    person: personOf(agent),
    groups: agent.person?.groups ?? [],
    isAdmin: false,
    via: 'client' as const,
  }
}

async function askClient(
  { approvals, prepareAlways }: AskingParts,
  asked: Approval,
  call: Authorized,
): Promise<boolean> {
  const { client, signal } = call
  const { exception, person } = asked.question
  // The rules are those of the person at this machine, whose client it is.
  const mayChange = exception && person === LOCAL_PERSON && client.transport === 'stdio'
  const change = mayChange ? await prepareAlways(asked).catch(() => undefined) : undefined
  const params = toElicitation(asked, { hasSession: ERAS[client.era].hasSession, change })
  const said = await client.request('elicitation/create', params, { signal })
  const dismissed = { approve: false, reason: 'the question was dismissed' } as const
  const answer = fromElicitation(said, change) ?? dismissed
  await approvals.answer(asked.id, answer, atClient(call))
  return true
}

const REPORT_EVERY_MS = 5_000

/** Tells a client that wants to know of progress what its call waits for. */
function reportWaiting({ id }: Approval, { client, params }: Authorized): () => void {
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

function goOn(
  approval: Approval,
  call: Authorized,
  next: Handler<Authorized, CallResult>,
): Promise<CallResult> | CallResult {
  const { state, id, answeredBy, reason, question } = approval
  const about: JsonObject = { approval: id }
  if (state === 'approved' || state === 'used') {
    call.event.approval = id
    return next(call)
  }
  if (state === 'pending')
    throw new GatewayError(
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
  throw new GatewayError('DENIED_BY_POLICY', message, {
    rule: question.rule,
    reason: state === 'expired' ? 'approval_expired' : 'approval_denied',
    data: about,
    hint: 'Nothing was sent. Do not make the same call again; ask the person what to do instead.',
  })
}
