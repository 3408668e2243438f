import { basename } from 'node:path'
import { SERVER_NAME } from '../../../../builtins/traces/common-trace-names.ts'
import { commandHead } from '../command-outcome.ts'
import { projectRoot } from '../detect-project.ts'
import { takeUp } from './fire.ts'
import type { HookAnswer, HookContext } from '../hook-context.ts'
import type { HookInput } from '../hook-input.ts'
import { withoutSensitive } from '../redact.ts'
import { type EventOf, type SessionEvent, eventsOf } from '../memory/session-log.ts'

/** If the same program failed before, records what was done in between as the fix. */
export async function afterSuccess(
  input: HookInput,
  command: string,
  context: HookContext,
): Promise<HookAnswer> {
  const events = await context.log.events()
  const failures = openFailures(events, command)
  const [first] = failures
  if (!first) return {}
  const since = first.at
  const { now, log } = context
  const traceId = creditedTrace(events, since)
  await log.add({
    kind: 'resolved',
    at: now,
    since,
    command,
  })
  const lesson = { command, traceId, files: editedSince(events, since) }
  await learn(input, failures, { ...lesson, events }, context)
  return traceId === undefined ? {} : { context: creditText(traceId, context) }
}

interface Lesson {
  readonly command: string
  readonly traceId: string | undefined
  readonly files: readonly string[]
  readonly events: readonly SessionEvent[]
}

async function learn(
  { cwd }: HookInput,
  failures: readonly EventOf<'failed'>[],
  { command, traceId, files, events }: Lesson,
  context: HookContext,
): Promise<void> {
  const { memory, now } = context
  const project = projectRoot(cwd)
  const signatures = [...new Set(failures.map(({ signature }) => signature))]
  await takeUpRecurrence(events, context)
  await memory.add(
    ...signatures.map((signature) => ({
      kind: 'resolved' as const,
      at: now,
      project,
      signature,
      fix_command: command,
      fix_files: withoutSensitive(files),
      ...(traceId !== undefined && { trace_id: traceId }),
    })),
  )
}

/** Returns every failure of this program since it was last resolved. */
function openFailures(events: readonly SessionEvent[], command: string): EventOf<'failed'>[] {
  const head = commandHead(command)
  const solved = eventsOf(events, 'resolved').findLast((each) => commandHead(each.command) === head)
  return eventsOf(events, 'failed').filter(
    (each) => commandHead(each.command) === head && each.at > (solved?.at ?? 0),
  )
}

/** Returns the last trace that was opened since then, or else the last one shown. */
function creditedTrace(events: readonly SessionEvent[], since: number): string | undefined {
  const after = events.filter(({ at }) => at >= since)
  return (eventsOf(after, 'opened').at(-1) ?? eventsOf(after, 'shown').at(-1))?.trace_id
}

function editedSince(events: readonly SessionEvent[], since: number): string[] {
  return eventsOf(events, 'edited')
    .filter(({ at }) => at >= since)
    .map(({ file }) => basename(file))
}

/** Records that a known fix was offered and worked. */
async function takeUpRecurrence(
  events: readonly SessionEvent[],
  context: HookContext,
): Promise<void> {
  const last = events.findLast(({ kind }) => kind === 'fired' || kind === 'consumed')
  if (last?.kind === 'fired' && last.trigger === 'error_recurrence') await takeUp(events, context)
}

function creditText(traceId: string, { config, linkTo }: HookContext): string {
  const trailer = config.resolved_with_trailer
    ? ` If you commit the fix, add this trailer: "Resolved-with: ${SERVER_NAME} ${linkTo(traceId)}".`
    : ''
  return `A trace may have helped here (${traceId}): if it did, vote_trace it up; if it had to be changed to work, amend_trace it.${trailer}`
}
