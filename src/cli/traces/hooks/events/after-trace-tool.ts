import { z } from 'zod'
import { SERVER_NAME } from '../../../../builtins/traces/common-trace-names.ts'
import { projectRoot } from '../detect-project.ts'
import { takeUp } from './fire.ts'
import type { HookAnswer, HookContext } from '../hook-context.ts'
import { type HookInput, textOf } from '../hook-input.ts'
import { Pending } from '../memory/pending.ts'
import { redact } from '../redact.ts'
import { openOffer } from '../memory/triggers.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

const contribution = z.looseObject({
  title: z.string(),
  context_text: z.string(),
  solution_text: z.string(),
})

/** Handles the agent's own use of traces: it opened, rated or contributed one. */
export async function afterTraceTool(input: HookInput, context: HookContext): Promise<HookAnswer> {
  if (input.tool === 'get_trace') return afterOpening(input, context)
  if (input.tool === 'vote_trace') return afterVote(input, context)
  if (input.tool === 'contribute_trace') return afterContribution(input, context)
  return {}
}

async function afterOpening(input: HookInput, context: HookContext): Promise<HookAnswer> {
  const { log, memory, now } = context
  const [trace_id] = UUID.exec(textOf(input.args['trace_id'])) ?? []
  const text = textOf(input.response)
  if (trace_id === undefined || input.error !== undefined || text.startsWith(`[${SERVER_NAME}`))
    return {}
  const events = await log.events()
  await log.add({ kind: 'opened', at: now, trace_id })
  const project = projectRoot(input.cwd)
  await memory.add({ kind: 'used', at: now, project, trace_id, title: titleIn(text) })
  if (openOffer(events) !== 'error_recurrence') await takeUp(events, context)
  return {}
}

/** Takes the title from the first line of the answer, after marks such as [PENDING]. */
function titleIn(text: string): string {
  const [first = ''] = text.split('\n', 1)
  return redact(first.replace(/^(?:\[[A-Z]+\] )+/, '')).slice(0, 200)
}

async function afterVote({ args }: HookInput, { memory, now }: HookContext): Promise<HookAnswer> {
  const [trace_id] = UUID.exec(textOf(args['trace_id'])) ?? []
  if (args['vote_type'] === 'down' && trace_id !== undefined)
    await memory.add({ kind: 'downvoted', at: now, trace_id })
  return {}
}

async function afterContribution(input: HookInput, context: HookContext): Promise<HookAnswer> {
  const trace = contribution.safeParse(input.args)
  if (!trace.success) return {}
  const text = input.error ?? textOf(input.response)
  const stored = /^Trace submitted successfully \(ID: ([\w-]+)\)/.exec(text)?.[1]
  if (stored !== undefined) return noteContribution(input, stored, context)
  const status = Number(/\(HTTP (\d{3})\)/.exec(text)?.[1])
  if (status === 409)
    return {
      context: `It is not stored: a trace about this already exists. Open it, then vote_trace it up, or amend_trace it with what yours adds. The service said: ${text}`,
    }
  if (status === 422)
    return {
      context: `It is NOT stored. Fix what the service names and contribute again, or tell the user: ${text}`,
    }
  await new Pending(context.home).add(toRequest(trace.data))
  return {
    context: `It is NOT stored: ${text}\nIt waits on this machine and is sent again later. Tell the user so; never report it as shared.`,
    message: `The trace "${trace.data.title}" was not shared; it waits on this machine.`,
  }
}

async function noteContribution(
  input: HookInput,
  traceId: string,
  { log, now, config }: HookContext,
): Promise<HookAnswer> {
  await log.add({ kind: 'contributed', at: now })
  const title = textOf(input.args['title']).slice(0, 200)
  const off = config.auto_contribute
    ? ' Turn this off: portolan traces admin hooks auto_contribute false'
    : ''
  return { message: `Shared as a trace: "${title}" (${traceId}).${off}` }
}

/** Returns what the tool would have sent, redacted. */
function toRequest(trace: z.output<typeof contribution>): Record<string, unknown> {
  const given = Object.entries(trace).filter(([, value]) => value !== '')
  return JSON.parse(JSON.stringify(Object.fromEntries(given)), (_, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  )
}
