import { basename } from 'node:path'
import { commandHead, commandOutcome } from '../command-outcome.ts'
import { detectProject, projectRoot } from '../detect-project.ts'
import { fire } from './fire.ts'
import type { HookAnswer, HookContext } from '../hook-context.ts'
import { type HookInput, textOf } from '../hook-input.ts'
import { redact } from '../redact.ts'
import { afterSuccess } from './after-success.ts'

const QUERY_LENGTH = 200

/** Searches for help after a failed command; learns from the same command succeeding later. */
export async function afterCommand(input: HookInput, context: HookContext): Promise<HookAnswer> {
  const command = redact(textOf(input.args['command']))
  if (command === '') return {}
  const { hasFailed, output } = commandOutcome(input)
  return hasFailed
    ? afterFailure(input, { command, output: redact(output) }, context)
    : afterSuccess(input, command, context)
}

async function afterFailure(
  { cwd }: HookInput,
  { command, output }: { command: string; output: string },
  context: HookContext,
): Promise<HookAnswer> {
  const { log, memory, now } = context
  const events = await log.events()
  const project = projectRoot(cwd)
  const signature = errorSignature(output)
  await log.add({ kind: 'failed', at: now, command, signature })
  const [known] = await memory.fixesOf(project, signature)
  if (known) {
    if (!(await fire('error_recurrence', events, context))) return {}
    const files =
      known.fix_files.length === 0 ? '' : `, after a change in ${known.fix_files.join(', ')}`
    return {
      context: `This error was solved in this project before: \`${known.fix_command}\` worked${files}.`,
    }
  }
  if (!(await fire('bash_error', events, context))) return {}
  const { text, first } = await context.search({
    q: output.slice(-QUERY_LENGTH) || `${commandHead(command)} failed in ${basename(project)}`,
    context: { ...(await detectProject(cwd)) },
  })
  if (first === undefined) return {}
  await log.add({ kind: 'shown', at: now, trace_id: first })
  return { context: `Traces about this error.\n${text}` }
}

const LENGTH = 500

const NORMALISED: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [/\b\d+(?:\.\d+)?\s?m?s\b/g, '<duration>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/gi, '<hex>'],
  // Begins only where a name begins: otherwise a long row of dots takes quadratic time.
  [/(?<![\w.@~-])(?:[A-Za-z]:)?(?:[\w.@~-]*[/\\])+([\w.@-]+)/g, '$1'],
  [/:\d+(?::\d+)?\b/g, ':<line>'],
  [/\b(lines?|col(?:umn)?) \d+/gi, '$1 <line>'],
]

/**
 * Returns text that is equal for two runs with the same error: without paths, times and addresses.
 * Keeps other numbers, as a 404 is not a 500. Cuts last, because long paths would shift the cut.
 */
export function errorSignature(text: string): string {
  return NORMALISED.reduce((left, [pattern, by]) => left.replaceAll(pattern, by), text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .slice(-LENGTH)
}
