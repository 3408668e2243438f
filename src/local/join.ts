import type { Socket } from 'node:net'
import { join as joinPath } from 'node:path'
import type { Environment } from '../base/environment.ts'
import { messageOf } from '../base/errors.ts'
import { inheritedFrom, variablesFrom } from '../base/inherited.ts'
import { VERSION } from '../base/version.ts'
import { withLock } from '../identity/safe-file.ts'
import { askGateway, converse, readAnswer } from './connect.ts'
import { type GatewayFacts, writeLine } from './handshake.ts'
import { isNewer } from './newer.ts'
import { NotShared } from './not-shared.ts'
import { fingerprints } from './process-variables.ts'
import { type RunFolder, openRunFolder } from './run-folder.ts'
import { startInBackground } from './start-in-background.ts'

/** What a bridge says once about the client that it stands for. */
export interface JoinRequest {
  /** The data folder. */
  readonly home: string
  /** The folder in which the client works. */
  readonly folder: string
  readonly env: Environment
  readonly surface: string | undefined
  readonly toolset?: string | undefined
}

/** A connection on which the gateway serves the client from now on. */
export interface Joined {
  readonly socket: Socket
  readonly gateway: GatewayFacts
}

/** How long all starters together may take, one after the other. */
const LOCK_MS = 25_000
const MAX_ATTEMPTS = 4

/**
 * Joins the person's gateway, and starts it first where none runs. Throws a `NotShared` that says
 * why, where the client must have a gateway of its own. `connections` is how often this bridge has
 * joined before.
 */
export async function join(request: JoinRequest, connections = 0): Promise<Joined> {
  try {
    const run = openRunFolder(request.home, request.env)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const joined = await tryJoin(run, request, connections)
      if (joined) return joined
    }
  } catch (error) {
    if (error instanceof NotShared) throw error
    throw new NotShared(messageOf(error))
  }
  throw new NotShared('each gateway that was started ended before it answered')
}

async function tryJoin(
  run: RunFolder,
  { home, folder, env, surface, toolset }: JoinRequest,
  connections: number,
): Promise<Joined | undefined> {
  const params = {
    folder,
    surface,
    toolset,
    key: env['PORTOLAN_KEY'],
    project: env['PORTOLAN_PROJECT'],
    inherited: inheritedFrom(env),
    settings: fingerprints(env, run.token),
    pid: process.pid,
    connections,
  }
  const connection = await converse(run, { ask: 'join', params })
  if (!connection) {
    await startOnce(run, home, env)
    return undefined
  }
  const { socket, facts, answer } = connection
  if (isOutdated(facts)) {
    socket.destroy()
    await replace(run, home, env)
    return undefined
  }
  const names = Array.isArray(answer['variables']) ? answer['variables'].map(String) : []
  writeLine(socket, { variables: variablesFrom(env, names) })
  await readAnswer(socket)
  return { socket, gateway: facts }
}

/** Starts a gateway unless one of the others that found none has done so meanwhile. */
export async function startOnce(run: RunFolder, home: string, env: Environment): Promise<void> {
  await inTurn(run, async () => {
    if (!(await askGateway(run, 'ping'))) await startInBackground(home, env)
  })
}

/**
 * Replaces a gateway of an older version. Others that it sends away meanwhile wait for their turn,
 * and then find the new one.
 */
async function replace(run: RunFolder, home: string, env: Environment): Promise<void> {
  await inTurn(run, async () => {
    const found = await askGateway(run, 'ping')
    if (found && !isOutdated(found)) return
    if (found) await askGateway(run, 'leave', { why: `version ${VERSION} takes its place` })
    await startInBackground(home, env)
  })
}

/** Runs while no other process starts a gateway, or takes the place of one. */
export async function inTurn<Result>(
  run: Pick<RunFolder, 'path'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return withLock(joinPath(run.path, 'gateway'), work, LOCK_MS)
}

/** A gateway that somebody started in a terminal is theirs to replace. */
function isOutdated({ kind, version }: GatewayFacts): boolean {
  return kind === 'background' && isNewer(VERSION, version)
}
