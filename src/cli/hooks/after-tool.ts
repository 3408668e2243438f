import { basename } from 'node:path'
import { detectProject } from './detect-project.ts'
import { errorSignature, hasFailed } from './error-signature.ts'
import type { Session } from './hook-state.ts'
import { redact } from './redact.ts'
import type { HookContext, HookInput } from './run-hook.ts'
import type { TriggerName } from './triggers.ts'

const QUERY_LENGTH = 200
const MOST_MINUTES = 120

/** A failing command asks for help; the same command working later is a lesson; a trace that was opened gets the credit. */
export async function afterTool(
  input: HookInput,
  context: HookContext,
): Promise<string | undefined> {
  const { state } = context
  const session = await state.load(input.session_id)
  const answer = await respond(input, session, context)
  await state.save(input.session_id, session)
  return answer
}

async function respond(
  input: HookInput,
  session: Session,
  context: HookContext,
): Promise<string | undefined> {
  const { tool_name, tool_input, cwd } = input
  if (tool_name.endsWith('get_trace') && tool_input.trace_id) {
    session.opened.push(tool_input.trace_id)
    if (session.offered === 'bash_error') await takeUp(session, context)
    return undefined
  }
  if (tool_name.endsWith('contribute_trace')) {
    session.contributed += 1
    await context.state.record({ kind: 'contributed', project: basename(cwd), at: context.now })
    return undefined
  }
  if (tool_name !== 'Bash' || tool_input.command === undefined) return undefined
  const { exitCode, output } = readResponse(input)
  return hasFailed(exitCode, output)
    ? afterFailure(input, session, context)
    : afterSuccess(input, session, context)
}

async function afterFailure(
  input: HookInput,
  session: Session,
  context: HookContext,
): Promise<string | undefined> {
  const output = redact(readResponse(input).output)
  const signature = errorSignature(output)
  const failure: Session['failures'][number] = {
    signature,
    command: redact(input.tool_input.command ?? ''),
    at: context.now,
  }
  session.failures.push(failure)
  const known = await context.state.knownFix(basename(input.cwd), signature)
  if (known?.fix_command) {
    if (!(await fire('error_recurrence', session, context))) return undefined
    return `This error was solved in this project before, by: ${known.fix_command}`
  }
  if (!(await fire('bash_error', session, context))) return undefined
  session.searches += 1
  const project = await detectProject(input.cwd)
  const { text, first } = await context.search({
    q: output.trim().slice(-QUERY_LENGTH),
    context: { ...project },
  })
  if (first !== undefined) failure.shown = first
  return text === '' ? undefined : `Traces about this error.\n${text}`
}

/** The same program that failed now works: what was done in between solved it. */
async function afterSuccess(
  input: HookInput,
  session: Session,
  context: HookContext,
): Promise<undefined> {
  const { state, now, reportSaved } = context
  const command = redact(input.tool_input.command ?? '')
  const index = session.failures.findLastIndex((failure) => head(failure.command) === head(command))
  const [failure] = index < 0 ? [] : session.failures.splice(index, 1)
  if (!failure) return undefined
  if (session.offered === 'error_recurrence') await takeUp(session, context)
  const credited = session.opened.at(-1) ?? failure.shown
  session.resolved += 1
  if (credited !== undefined) session.assisted += 1
  const minutes = Math.min(MOST_MINUTES, Math.round((now - failure.at) / 60_000))
  await state.record({
    kind: 'resolved',
    project: basename(input.cwd),
    signature: failure.signature,
    fix_command: command,
    ...(credited !== undefined && { trace_id: credited }),
    minutes,
    at: now,
  })
  if (credited !== undefined) await reportSaved(minutes)
  return undefined
}

async function fire(
  name: TriggerName,
  session: Session,
  { triggers, now }: HookContext,
): Promise<boolean> {
  const known = session.triggers[name] ?? { fired: 0, consumed: 0, at: 0 }
  if (!(await triggers.mayFire(name, now - known.at))) return false
  session.triggers[name] = { ...known, fired: known.fired + 1, at: now }
  session.offered = name
  return true
}

/** What was offered last has been of use. */
async function takeUp(session: Session, { triggers }: HookContext): Promise<void> {
  const name = session.offered
  if (name === undefined) return
  await triggers.consumed(name)
  const known = session.triggers[name]
  if (known) session.triggers[name] = { ...known, consumed: known.consumed + 1 }
  delete session.offered
}

function readResponse({ tool_response, error }: HookInput): {
  exitCode: number | undefined
  output: string
} {
  if (error !== undefined) return { exitCode: 1, output: error }
  if (typeof tool_response !== 'object' || tool_response === null)
    return { exitCode: undefined, output: typeof tool_response === 'string' ? tool_response : '' }
  const response: Record<string, unknown> = { ...tool_response }
  const code = response['exit_code'] ?? response['exitCode']
  return {
    exitCode: typeof code === 'number' ? code : undefined,
    output: [response['stdout'], response['stderr']]
      .filter((part) => typeof part === 'string')
      .join('\n'),
  }
}

function head(command: string): string {
  return command.trim().split(/\s+/).slice(0, 2).join(' ')
}
