import { detectProject } from '../detect-project.ts'
import type { HookContext } from '../hook-context.ts'
import type { HookInput } from '../hook-input.ts'
import { type EventOf, type SessionEvent, eventsOf } from '../memory/session-log.ts'

const HOW = [
  'Write it from what happened in this session only: the problem in one line, how it showed, what solved it and why.',
  'Leave out secrets, names of people and companies, and paths of this machine.',
  'It is shared only if the answer begins with "Trace submitted successfully"; anything else, a refusal (HTTP 403) above all, is to be reported to the user as it is.',
]

/**
 * Returns the errors that this session solved, if they have not been proposed or contributed yet.
 * An error is solved if its command succeeds after an edit; a command that merely succeeds the next
 * time teaches nobody anything.
 */
function solvedErrors(events: readonly SessionEvent[]): EventOf<'resolved'>[] {
  if (events.some(({ kind }) => kind === 'contributed' || kind === 'proposed')) return []
  // By their order in the log: an edit and a command may have the same millisecond.
  return eventsOf(events, 'resolved').filter((resolved) =>
    eventsOf(events.slice(0, events.indexOf(resolved)), 'edited').some(
      ({ at }) => at >= resolved.since,
    ),
  )
}

/** Asks the agent, once per session that solved an error, to write a trace about it. */
export async function proposeTrace(
  input: HookInput,
  events: readonly SessionEvent[],
  context: HookContext,
): Promise<string | undefined> {
  const call = await proposedCall(input, events, context)
  if (call === undefined) return undefined
  const start = 'This session solved an error that others may meet.'
  if (context.config.auto_contribute)
    return [start, `Without asking, ${call}`, ...HOW, 'Then finish.'].join(' ')
  return [
    start,
    'Ask the user whether to share it, with these choices: Yes, Skip, Always.',
    `Yes: ${call}`,
    ...HOW,
    `Always: run \`${context.command} traces admin hooks auto_contribute true\` first, then as for Yes.`,
    'Skip, or nothing was worth sharing: just finish.',
  ].join(' ')
}

/** Asks the same when the user moves on to another task, and has agreed to it beforehand. */
export async function proposeInBackground(
  input: HookInput,
  events: readonly SessionEvent[],
  context: HookContext,
): Promise<string | undefined> {
  const call = await proposedCall(input, events, context)
  if (call === undefined) return undefined
  return [
    'The work before this prompt solved an error that others may meet, and the user has agreed to share such things.',
    `Start a sub-agent in the background, tell it what was solved, and let it ${call}`,
    ...HOW,
    'Do not wait for it: go on with what the user asks now.',
  ].join(' ')
}

/** Records the proposal and returns the call, with the facts that show how hard the problem was. */
async function proposedCall(
  { cwd }: HookInput,
  events: readonly SessionEvent[],
  { log, now }: HookContext,
): Promise<string | undefined> {
  const solved = solvedErrors(events)
  if (solved.length === 0) return undefined
  await log.add({ kind: 'proposed', at: now })
  const metadata = {
    ...(await detectProject(cwd)),
    detection_pattern: 'error_resolution',
    error_count: eventsOf(events, 'failed').length,
    iterations: eventsOf(events, 'edited').length,
    minutes: Math.round((now - Math.min(...solved.map(({ since }) => since))) / 60_000),
  }
  return `call contribute_trace once, with metadata_json ${JSON.stringify(metadata)}.`
}
