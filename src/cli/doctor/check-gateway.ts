import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import type { Environment } from '../../base/environment.ts'
import { aloneGateways } from '../../local/alone.ts'
import { askGateway } from '../../local/connect.ts'
import { logFileOf } from '../../local/log-file.ts'
import { openRunFolder } from '../../local/run-folder.ts'
import { count } from '../shared/terminal/terminal.ts'
import { type Finding, findings } from './finding.ts'

const MAX_LOG_LINES = 5
const MAX_LOG_BYTES = 4096

/** Checks whether the MCP clients of this person can share a gateway, and which of them do not. */
export async function checkGateway(home: string, env: Environment): Promise<Finding[]> {
  const { ok, warn } = findings('gateway')
  const alone = aloneGateways(home, env).map(({ pid, folder, reason }) =>
    warn(`process ${pid} in ${folder} serves its client alone, because ${reason}`),
  )
  if (!existsSync(home)) return [ok('none runs; the first client starts it')]
  try {
    const found = await askGateway(openRunFolder(home, env), 'status')
    const log = lastLines(logFileOf(home))
    if (!found) return [{ ...ok('none runs; the first client starts it'), details: log }, ...alone]
    const { clients } = found.answer
    const joined = count(Array.isArray(clients) ? clients.length : 0, 'client')
    const how = found.kind === 'serve' ? 'by `portolan serve`' : 'in the background'
    return [
      { ...ok(`Portolan ${found.version} runs ${how}, with ${joined} over stdio`), details: log },
      ...alone,
    ]
  } catch (error) {
    return [warn(`clients cannot share a gateway: ${messageOf(error)}`), ...alone]
  }
}

function lastLines(path: string): string[] | undefined {
  if (!existsSync(path)) return undefined
  const { size } = statSync(path)
  const bytes = Buffer.alloc(Math.min(size, MAX_LOG_BYTES))
  const opened = openSync(path, 'r')
  const read = readSync(opened, bytes, 0, bytes.length, size - bytes.length)
  closeSync(opened)
  const lines = bytes.toString('utf8', 0, read).trimEnd().split('\n')
  return [`log: ${path}`, ...lines.slice(-MAX_LOG_LINES)]
}
