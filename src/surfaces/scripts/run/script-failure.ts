import type { Identified } from '../../../gateway/call.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import type { Failure, FailureCode } from '../../../sandbox/messages.ts'
import type { Limits } from '../../../sandbox/limits.ts'
import { withReport } from './run-report.ts'
import type { Trail } from '../host/trail.ts'

interface Wording {
  readonly message: (limits: Limits, wallMs: number) => string
  readonly hint: string
}

const MIB = 1024 * 1024
const LESS_WORK =
  'Do less in one script, or let select(value, jmespath) do the heavy part in the host.'

const WORDINGS: Readonly<Record<FailureCode, Wording>> = {
  syntax: {
    message: () => 'The source does not parse',
    hint: 'Fix the line and send the script again.',
  },
  script_error: {
    message: () => 'The script threw an error',
    hint: 'Fix the line, or catch the error there.',
  },
  thread_limit: {
    message: ({ threadMs }) => `The script computed for longer than ${threadMs} ms`,
    hint: LESS_WORK,
  },
  wall_limit: {
    message: (_limits, wallMs) => `The script took longer than ${wallMs} ms`,
    hint: 'Make calls at the same time with parallel(), do less, or allow more with timeout_ms.',
  },
  memory_limit: {
    message: ({ heapBytes }) => `The script needed more than ${heapBytes / MIB} MB of memory`,
    hint: 'Work page by page, and keep(value) what is large instead of holding it.',
  },
  stack_limit: {
    message: () => 'Functions of the script call each other too deeply',
    hint: 'Use a loop instead of recursion.',
  },
  call_limit: {
    message: ({ calls }) => `The script made more than ${calls} calls`,
    hint: 'Use a tool that answers for many at once, or split the work over several scripts.',
  },
  source_limit: {
    message: () => 'The source is too long',
    hint: 'Pass data as input, not as code.',
  },
  result_limit: {
    message: () => 'The result is too long',
    hint: 'Return less, or return keep(value): a handle that read_result reads.',
  },
  never_settles: {
    message: () => 'The script awaits a promise that nothing will settle',
    hint: 'Await calls of tools, sleep() or parallel(); there are no timers and no events.',
  },
  script_expired: {
    message: () => 'The script waited too long for its answer',
    hint: 'Send a script that does what is left: calls already made are not undone.',
  },
  cancelled: {
    message: () => 'The script was cancelled',
    hint: 'Send it again if it is still wanted.',
  },
  sandbox_failed: {
    message: () => 'The sandbox of the script failed',
    hint: 'Send the script again; `portolan doctor` checks whether scripts can run on this machine.',
  },
}

export interface FailedScript {
  readonly source: string
  readonly wallMs: number
  readonly limits: Limits
  readonly trail: Trail
  readonly call: Identified
}

/** The error of a script without a result, with what helps to fix it without repeating calls. */
export function toScriptError(failure: Failure, script: FailedScript): GatewayError {
  const { code, line, column } = failure
  const wording = WORDINGS[code]
  const headline = wording.message(script.limits, script.wallMs)
  const { name, message } = failure
  const said = name === undefined || message === '' ? message : `${name}: ${message}`
  const place =
    line === undefined ? '' : `at line ${line}, column ${column}: ${lineOf(script, line)}`
  const trail = script.trail.summary()
  const ran = trail.length === 0 ? 'No call was made.' : `Calls already made: ${trail.join(', ')}.`
  const error = {
    code: 'SCRIPT_FAILED',
    reason: code,
    message: said || headline,
    ...(line !== undefined && { line, column }),
    ...(failure.data !== undefined && { data: failure.data }),
    trail,
    hint: wording.hint,
    ...logsOf(script.trail),
  }
  const text = [said || headline, place, ran, ...logLines(script.trail), wording.hint].filter(
    Boolean,
  )
  return new GatewayError('SCRIPT_FAILED', said || headline, {
    reason: code,
    hint: wording.hint,
    result: withReport(
      {
        content: [{ type: 'text', text: text.join('\n') }],
        structuredContent: { error },
        isError: true,
      },
      script.call,
      script.trail,
    ),
  })
}

const MAX_LINE_LENGTH = 120

function lineOf({ source }: FailedScript, line: number): string {
  return (source.split('\n')[line - 1] ?? '').trim().slice(0, MAX_LINE_LENGTH)
}

const MAX_LOGS = 20

function logsOf({ logs }: Trail): { logs?: readonly string[] } {
  return logs.length === 0 ? {} : { logs: logs.slice(-MAX_LOGS) }
}

function logLines({ logs }: Trail): string[] {
  return logs.slice(-MAX_LOGS).map((text) => `log: ${text}`)
}
