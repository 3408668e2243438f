import { type Socket, connect as connectTo } from 'node:net'
import { codeOf, messageOf } from '../base/errors.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { type GatewayFacts, type Question, greet, readLine, ConnectionEnded } from './handshake.ts'
import { NotShared } from './not-shared.ts'
import type { RunFolder } from './run-folder.ts'

/** A conversation with a gateway that has accepted its question. */
export interface Connection {
  readonly socket: Socket
  readonly facts: GatewayFacts
  readonly answer: JsonObject
}

/** Time for an answer: a folder with a database may take a while to open. */
const ANSWER_MS = 30_000
/** What a system reports where no gateway listens. */
const NOBODY: readonly (string | undefined)[] = ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']

/**
 * Puts a question to the gateway that listens in this folder; undefined if none does. The connection
 * stays open.
 */
export async function converse(
  { socket: path, token }: Pick<RunFolder, 'socket' | 'token'>,
  question: Question,
): Promise<Connection | undefined> {
  const socket = await open(path)
  if (!socket) return undefined
  try {
    const facts = await greet(socket, token, question)
    return { socket, facts, answer: await readAnswer(socket) }
  } catch (error) {
    socket.destroy()
    if (error instanceof NotShared) throw error
    if (error instanceof ConnectionEnded) return undefined
    throw new NotShared(`the gateway that runs ended the conversation: ${messageOf(error)}`)
  }
}

/** Asks one question; undefined if no gateway runs. */
export async function askGateway(
  run: Pick<RunFolder, 'socket' | 'token'>,
  ask: string,
  params: JsonObject = {},
): Promise<(GatewayFacts & { readonly answer: JsonObject }) | undefined> {
  const connection = await converse(run, { ask, params })
  connection?.socket.destroy()
  return connection && { ...connection.facts, answer: connection.answer }
}

/** Reads an answer; throws the reason of a refusal. */
export async function readAnswer(socket: Socket): Promise<JsonObject> {
  const { answer, refused } = await readLine(socket, { waitMs: ANSWER_MS })
  if (typeof refused === 'string') throw new NotShared(refused)
  return isObject(answer) ? answer : {}
}

async function open(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connectTo({ path })
    const fail = (error: Error) => {
      const code = codeOf(error)
      if (NOBODY.includes(code)) resolve(undefined)
      else reject(new NotShared(`its socket cannot be reached (${code ?? messageOf(error)})`))
    }
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      // Whoever uses it hears of its end by `close`.
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}
