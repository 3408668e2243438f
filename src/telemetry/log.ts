import { visible } from '../base/text/visible.ts'
import { hide } from '../base/secrets/secrets.ts'

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
type LogLevel = (typeof LOG_LEVELS)[number]
type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export interface LogOptions {
  readonly level?: LogLevel
  readonly format?: 'text' | 'json'
  /** Never stdout: the stdio transport uses it for the protocol. */
  readonly stream?: { write(text: string): unknown; readonly isTTY?: boolean }
}

const COLOURS = { debug: 90, info: 36, warn: 33, error: 31 } as const

/** Writes lines for people or one JSON object per line; secrets are hidden in both. */
export function createLog(options: LogOptions = {}): Log {
  const { level = 'info', format = 'text', stream = process.stderr } = options
  const lowest = LOG_LEVELS.indexOf(level)
  const coloured = stream.isTTY === true && process.env['NO_COLOR'] === undefined

  function writer(name: LogLevel): (message: string, fields?: LogFields) => void {
    if (LOG_LEVELS.indexOf(name) < lowest) return () => {}
    return (message, fields) => {
      const line =
        format === 'json'
          ? toJson(name, message, fields)
          : prefix(name) + visible(toText(message, fields))
      stream.write(`${hide(line)}\n`)
    }
  }

  function prefix(name: LogLevel): string {
    if (name === 'info') return ''
    return coloured ? `\u001B[${COLOURS[name]}m${name}\u001B[0m ` : `${name} `
  }

  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
  }
}

function toJson(level: LogLevel, message: string, fields: LogFields = {}): string {
  const safe = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plain(value)]))
  return JSON.stringify({ time: new Date().toISOString(), level, message, ...safe })
}

function toText(message: string, fields: LogFields = {}): string {
  const pairs = Object.entries(fields).map(([key, value]) => {
    const text = plain(value)
    return ` ${key}=${typeof text === 'string' && !/[\s"]/.test(text) ? text : JSON.stringify(text)}`
  })
  return `${message}${pairs.join('')}`
}

/** Turns an error into its message and those of its causes, without stacks. */
function plain(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  return value.cause instanceof Error
    ? `${value.message}: ${String(plain(value.cause))}`
    : value.message
}
