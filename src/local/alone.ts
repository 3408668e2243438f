import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseObject } from '../base/json/json.ts'
import { GatewayError } from '../gateway/errors.ts'
import { makeRunFolder, runFolderOf } from './run-folder.ts'
import type { Environment } from '../base/environment.ts'

/** A gateway that serves one client alone, on this machine. */
export interface AloneGateway {
  readonly pid: number
  readonly folder: string
  readonly since: string
  /** Why it has not joined the person's gateway. */
  readonly reason: string
}

const NAME = /^alone-(\d+)\.json$/

/** Says why this process serves its client alone: on stderr, and to `status` and `doctor`. */
export function announceAlone(home: string, env: Environment, reason: string): void {
  // Its servers would be real ones, in place of those of a tape.
  if (env['PORTOLAN_RUN'])
    throw new GatewayError(
      'SERVER_UNAVAILABLE',
      `The gateway of the tape cannot be joined: ${reason}`,
    )
  process.stderr.write(`portolan: this client has a gateway of its own, because ${reason}\n`)
  try {
    const path = join(makeRunFolder(home, env), `alone-${process.pid}.json`)
    const entry = { folder: process.cwd(), since: new Date().toISOString(), reason }
    writeFileSync(path, JSON.stringify(entry), { mode: 0o600 })
    process.once('exit', () => rmSync(path, { force: true }))
  } catch {
    // Where nothing can be written, the line above has to do.
  }
}

/** Returns the gateways that serve a client alone now, and forgets those that have ended. */
export function aloneGateways(home: string, env: Environment): AloneGateway[] {
  const folder = runFolderOf(home, env)
  return namesIn(folder).flatMap((name) => {
    const pid = Number(NAME.exec(name)?.[1])
    if (Number.isNaN(pid)) return []
    const path = join(folder, name)
    if (!isRunning(pid)) {
      rmSync(path, { force: true })
      return []
    }
    const { folder: cwd, since, reason } = read(path)
    return [{ pid, folder: String(cwd), since: String(since), reason: String(reason) }]
  })
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isZombie(pid)
  } catch {
    return false
  }
}

/** Whether it has ended and nobody has taken notice, as in a container without an init process. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(path: string) {
  try {
    return parseObject(readFileSync(path, 'utf8')) ?? {}
  } catch {
    return {}
  }
}
