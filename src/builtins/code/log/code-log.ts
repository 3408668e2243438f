import { OWN_FOLDER, SERVER_NAME } from '../cocosearch-names.ts'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Environment } from '../../../base/environment.ts'
import { hide } from '../../../base/secrets/secrets.ts'
import type { CallLog, FinishedCall } from '../../kit/define-builtin.ts'

export type LogCategory = 'search' | 'index' | 'mcp' | 'system' | 'deps'

export interface LogEntry {
  readonly ts: string
  readonly level: 'info' | 'error'
  readonly cat: LogCategory
  readonly msg: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Returns the log that the environment asks for; a project's settings cannot choose its file. */
export function codeLog(env: Environment): CallLog | undefined {
  const said = env['PORTOLAN_CODE_LOG_FILE'] || env['PORTOLAN_CODE_LOGGING_FILE']
  if (!said || /^(?:false|0)$/i.test(said)) return undefined
  const home = env['HOME'] || homedir()
  const path = /^(?:true|1)$/i.test(said)
    ? join(home, OWN_FOLDER, 'logs', `${SERVER_NAME}.log`)
    : resolve(said.replace(/^~(?=\/|$)/, home))
  return { path, maxBytes: 10 * 1024 * 1024, keep: 3, toLine: (call) => toLine(toEntry(call)) }
}

export function toLine(entry: LogEntry): string {
  return `${JSON.stringify(entry)}\n`
}

function toEntry(call: FinishedCall): LogEntry {
  const { operation, tool = operation, agent, durationMs, outcome, error, startedAt } = call
  const isOk = outcome === 'ok'
  return {
    ts: new Date(startedAt).toISOString(),
    level: isOk ? 'info' : 'error',
    cat: categoryOf(tool),
    msg: isOk ? tool : `${tool} failed`,
    fields: {
      ...(agent !== undefined && { agent }),
      ...(durationMs !== undefined && { duration_ms: Math.round(10 * durationMs) / 10 }),
      ...(!isOk && { outcome }),
      ...(error !== undefined && { error: hide(error) }),
    },
  }
}

const DEPS = /^get_(?:file|batch)_/
const SEARCH = /^(?:search_code|analyze_query|find_|outline$)/
const INDEX = /index/

function categoryOf(tool: string): LogCategory {
  if (DEPS.test(tool)) return 'deps'
  if (SEARCH.test(tool)) return 'search'
  return INDEX.test(tool) ? 'index' : 'mcp'
}
