import { chmodSync, existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { type Server, type Socket, createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { type GatewayFacts, readLine, welcome, writeLine } from './handshake.ts'
import { movedLine } from './moved.ts'
import type { RunFolder } from './run-folder.ts'

/** What a bridge sent when it was asked for variables. */
export interface SentVariables {
  /** The names that it was asked for. */
  readonly names: readonly string[]
  /** The values of those that are set. */
  readonly values: unknown
}

export interface LocalGatewayOptions {
  readonly run: RunFolder
  readonly facts: GatewayFacts
  /** Answers of this gateway, beside those to clients that join. */
  readonly answers: Readonly<Record<string, (params: JsonObject) => Promise<JsonObject>>>
  /** Names the variables that are needed for a client; throws the reason of a refusal. */
  readonly admit: (params: JsonObject) => Promise<readonly string[]>
  /** Serves a client that was admitted; throws the reason of a refusal. */
  readonly serve: (params: JsonObject, sent: SentVariables, start: () => Socket) => Promise<void>
  /** Called when there is a client again. */
  readonly onJoin?: (() => void) | undefined
  /** Called when the last client has gone. */
  readonly onEmpty: () => void
  /** Called when its folder was deleted: another gateway may listen there already. */
  readonly onReplaced: () => void
}

export interface LocalGateway {
  readonly clients: number
  /**
   * Listens no longer, and tells all clients to find another gateway. `why: 'stopped'` asks them to
   * look for one only when they need it. Resolves when all have gone, or the time is up.
   */
  leave(why: string): Promise<void>
}

/** How long calls in flight may take to end, once their client was sent away. */
const LEAVE_MS = 30_000
/** How often it checks that its socket is still there. */
const CHECK_MS = 5_000
const LOOK_MS = 20

/** Listens on the socket of the run folder; the caller makes sure that no other process does so now. */
export async function listenLocally(options: LocalGatewayOptions): Promise<LocalGateway> {
  const { run, facts, answers, onEmpty, onReplaced } = options
  const sockets = new Set<Socket>()
  let leaving: string | undefined
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    void converse(socket).catch(() => socket.destroy())
  })
  const release = await bind(server, run, onReplaced)

  async function converse(socket: Socket): Promise<void> {
    const question = await welcome(socket, run.token, facts)
    if (!question) return void socket.destroy()
    const { ask, params } = question
    try {
      if (ask === 'join') return await join(socket, params)
      const answer = await answers[ask]?.(params)
      writeLine(socket, answer ? { answer } : { refused: `the gateway does not know "${ask}"` })
    } catch (error) {
      writeLine(socket, { refused: messageOf(error) })
    }
    socket.end()
  }

  async function join(socket: Socket, params: JsonObject): Promise<void> {
    if (leaving !== undefined) return void socket.destroy()
    sockets.add(socket)
    options.onJoin?.()
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) onEmpty()
    })
    const names = await options.admit(params)
    writeLine(socket, { answer: { variables: names } })
    const { variables: values } = await readLine(socket)
    await options.serve(params, { names, values }, () => {
      writeLine(socket, { answer: {} })
      // It may have been asked to leave while its folder was being opened.
      if (leaving !== undefined) socket.write(movedLine(leaving))
      return socket
    })
  }

  return {
    get clients() {
      return sockets.size
    },
    async leave(why) {
      leaving = why
      release()
      for (const socket of sockets) socket.write(movedLine(why))
      const limit = performance.now() + LEAVE_MS
      while (sockets.size > 0 && performance.now() < limit) await sleep(LOOK_MS)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * Binds under another name and renames, so that the socket of a gateway that is replaced never
 * disappears. Returns the function that gives the socket up.
 */
async function bind(
  server: Server,
  { socket: path }: RunFolder,
  onReplaced: () => void,
): Promise<() => void> {
  if (process.platform === 'win32') {
    await listen(server, path)
    return () => void server.close()
  }
  let ours = await bindAt(server, path)
  const check = async () => {
    const found = inodeOf(path)
    if (found === ours) return
    if (found !== undefined) return onReplaced()
    // Somebody has deleted it: clients that start from now on would not find this gateway.
    ours = await bindAt(
      createServer((socket) => void server.emit('connection', socket)),
      path,
    )
  }
  const giveUp = () => {
    // Without its folder, nobody can find this gateway any more; Node calls that EACCES.
    if (!existsSync(dirname(path))) onReplaced()
  }
  const timer = setInterval(() => void check().catch(giveUp), CHECK_MS).unref()
  return () => {
    clearInterval(timer)
    if (inodeOf(path) === ours) rmSync(path, { force: true })
    server.close()
  }
}

async function bindAt(server: Server, path: string): Promise<bigint | undefined> {
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true })
  await listen(server, draft)
  chmodSync(draft, 0o600)
  renameSync(draft, path)
  return inodeOf(path)
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
}

function inodeOf(path: string): bigint | undefined {
  return lstatSync(path, { throwIfNoEntry: false, bigint: true })?.ino
}
