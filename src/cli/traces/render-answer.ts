import { type JsonObject, isObject } from '../../base/json/json.ts'

/** What the service answered, for people: names and values, lists as one line each. */
export function renderAnswer(body: JsonObject): string {
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

const LONGEST = 100

/** What names a thing comes first; long texts are cut. */
function oneLine(item: unknown): string {
  if (!isObject(item)) return scalar(item)
  const shown = Object.entries(item).filter(
    ([, value]) => value !== null && value !== '' && typeof value !== 'object',
  )
  return shown.map(([name, value]) => `${name}=${cut(scalar(value))}`).join('  ')
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
