import { detectProject } from '../detect-project.ts'
import type { HookContext } from '../hook-context.ts'
import type { HookInput } from '../hook-input.ts'
import type { Score } from './patterns.ts'
import { costOf } from '../savings/savings.ts'
import { type SessionEvent, eventsOf } from '../memory/session-log.ts'

const HOW = [
  'Write it from what happened in this session only: the problem in one line, how it showed, what solved it and why.',
  'Leave out secrets, names of people and companies, and paths of this machine.',
]
const NEVER_FALSELY =
  'It is shared only if the answer begins with "Trace submitted successfully"; anything else, a refusal (HTTP 403) above all, is to be reported to the user as it is.'

/** Asks the agent, whose session solved something, to write the trace itself. */
export async function shareDirective(
  input: HookInput,
  facts: { readonly events: readonly SessionEvent[]; readonly score: Score },
  context: HookContext,
): Promise<string> {
  const { config, command } = context
  const call = `call contribute_trace once, with ${await parametersOf(input, facts, context)}.`
  const start = `This session solved something others may meet (${facts.score.patterns.join(', ')}).`
  if (config.auto_contribute)
    return [start, `Without asking, ${call}`, ...HOW, NEVER_FALSELY, 'Then finish.'].join(' ')
  return [
    start,
    'Ask the user whether to share it, with these choices: Yes, Skip, Always.',
    `Yes: ${call}`,
    ...HOW,
    NEVER_FALSELY,
    `Always: run \`${command} traces hooks auto_contribute true\` first, then as for Yes.`,
    'Skip, or nothing was worth sharing: just finish.',
  ].join(' ')
}

/** Asks the same when the user moves on to another task, and has agreed to it beforehand. */
export async function moveOnDirective(
  input: HookInput,
  facts: { readonly events: readonly SessionEvent[]; readonly score: Score },
  context: HookContext,
): Promise<string> {
  return [
    'The work before this prompt solved something others may meet, and the user has agreed to share such things.',
    `Start a sub-agent in the background, tell it what was solved, and let it call contribute_trace once, with ${await parametersOf(input, facts, context)}.`,
    ...HOW,
    NEVER_FALSELY,
    'Do not wait for it: go on with what the user asks now.',
  ].join(' ')
}

/** Returns what the hooks measured, so that the trace shows how hard the problem was. */
async function parametersOf(
  { cwd, transcript }: HookInput,
  { events, score }: { readonly events: readonly SessionEvent[]; readonly score: Score },
  { now }: HookContext,
): Promise<string> {
  const since = Math.min(now, ...eventsOf(events, 'resolved').map((each) => each.since))
  const { tokens, minutes } = await costOf(transcript, since, now)
  const metadata = {
    ...(await detectProject(cwd)),
    detection_pattern: score.patterns[0],
    error_count: eventsOf(events, 'failed').length,
    iterations: eventsOf(events, 'edited').length,
    minutes: Math.round(minutes),
  }
  return `metadata_json ${JSON.stringify(metadata)} and tokens_to_resolution ${tokens}`
}
