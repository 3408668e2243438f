import { GatewayError } from '../../gateway/errors.ts'
import type { TracesAnswer, TracesConnection } from './connect-traces.ts'
import type { Operation, OperationRequest, Options } from './operation.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { formatResults, formatTags, formatTrace } from '../../builtins/traces/adapter/format.ts'

/** Sends the request and prints the answer. */
export async function runOperation(
  operation: Operation,
  { args, options }: { readonly args: readonly string[]; readonly options: Options },
  connection: TracesConnection,
): Promise<void> {
  const [name = ''] = operation.command.split(' ')
  const answer = await reach(connection, operation.toRequest(args, options))
  if (answer.status >= 400) {
    const { detail = 'Refused' } = answer.body
    console.error(`${String(detail)} (HTTP ${answer.status})\n${nextStep(name, answer)}`.trim())
    process.exitCode = 1
  } else if (options['json']) printJson(answer.body)
  else process.stdout.write(`${toText(name, answer.body)}\n`)
}

function toText(name: string, body: Record<string, unknown>): string {
  if (name === 'search') return formatResults('', body)
  if (name === 'list') return formatResults('', { results: body['traces'] })
  if (name === 'get') return formatTrace(body)
  if (name === 'tags') return formatTags(body)
  return renderAnswer(body)
}

/** Sends the request; reports an outage in one sentence. */
async function reach(
  connection: TracesConnection,
  { method, path, body }: OperationRequest,
): Promise<TracesAnswer> {
  try {
    return await connection.request(method, path, body)
  } catch (error) {
    throw new GatewayError('SERVER_UNAVAILABLE', 'The traces service does not answer', {
      hint: 'See that PORTOLAN_TRACES_URL is right and the service runs (`portolan traces serve`), or unset it to use the embedded one.',
      cause: error,
    })
  }
}

/** Renders an answer as text: names and values, with one line for each item of a list. */
function renderAnswer(body: JsonObject): string {
  const lines = Object.entries(body).flatMap(([name, value]) => renderField(name, value))
  return lines.length === 0 ? 'Done.' : lines.join('\n')
}

function renderField(name: string, value: unknown): string[] {
  const label = name.replaceAll('_', ' ')
  if (value === null || value === undefined) return [`${label}: none`]
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${label}: none`]
    if (!value.some(isObject)) return [`${label}: ${value.map(scalar).join(', ')}`]
    return [`${label}:`, ...value.map((item) => `  - ${oneLine(item)}`)]
  }
  if (typeof value !== 'object') return [`${label}: ${scalar(value)}`]
  const inner = Object.entries(value).flatMap(([key, each]) => renderField(key, each))
  return inner.length === 0
    ? [`${label}: none`]
    : [`${label}:`, ...inner.map((line) => `  ${line}`)]
}

const MAX_LENGTH = 100

/** Renders an item on one line; leaves out nested values and cuts long texts. */
function oneLine(item: unknown): string {
  if (!isObject(item)) return scalar(item)
  const shown = Object.entries(item).filter(
    ([, value]) => value !== null && value !== '' && typeof value !== 'object',
  )
  return shown.map(([name, value]) => `${name}=${cut(scalar(value))}`).join('  ')
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Hints by the text of the answer, where the status alone is not specific enough. */
const BY_DETAIL: readonly (readonly [RegExp, string])[] = [
  [
    /admin/i,
    'Set PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN to the token the service was started with.',
  ],
  [
    /moderator/i,
    'The owner makes moderators: portolan traces admin contributor <account> --moderator',
  ],
  [/requires an invitation/i, 'Use one you were given: portolan traces admin redeem <code>'],
  [/e-?mail registration/i, 'Get another key: portolan traces admin register --email <address>'],
]

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'Set COMMONTRACE_API_KEY to a valid key; `portolan traces admin register` gives one.',
  404: 'Look for it with `portolan traces search` or `portolan traces list`.',
  429: 'Wait as long as it says, then try again.',
}

const WHEN_DOWN = 'Ask for its state with `portolan traces admin health`, and try again later.'

/** Returns what a person can do about a refusal; empty if the refusal says enough. */
function nextStep(
  command: string,
  { status, body }: { readonly status: number; readonly body: Readonly<Record<string, unknown>> },
): string {
  const detail = typeof body['detail'] === 'string' ? body['detail'] : ''
  const known = BY_DETAIL.find(([pattern]) => pattern.test(detail))?.[1]
  if (known !== undefined) return known
  if (status === 422) return `See what it takes: portolan traces ${command} --help`
  return BY_STATUS[status] ?? (status >= 500 ? WHEN_DOWN : '')
}
