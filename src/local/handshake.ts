import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { withTimeout } from '../base/flow/time.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { NotShared } from './not-shared.ts'

/** The versions of the conversation on the socket that this Portolan speaks. */
const PROTOCOLS: readonly number[] = [1]

/** `background`: a bridge started it, and a newer version may replace it. */
export type GatewayKind = 'background' | 'serve'

/** What each side says of itself. */
export interface GatewayFacts {
  readonly kind: GatewayKind
  readonly version: string
  readonly pid: number
}

/** What one side is asked for, once both have proved that they know the token. */
export interface Question {
  readonly ask: string
  readonly params: JsonObject
}

/** Time for one line of the other side; a process that was stopped never sends one. */
const LINE_MS = 5_000
/** No line of somebody who has proved nothing is longer. */
const MAX_UNPROVED_BYTES = 4096
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Opens a conversation with a gateway. It proves first that it knows the token, so that a socket
 * that somebody else put there learns nothing; then we prove the same.
 */
export async function greet(socket: Duplex, token: string, question: Question) {
  const nonce = newNonce()
  writeLine(socket, { portolan: { protocols: PROTOCOLS }, nonce })
  const {
    portolan: sent,
    nonce: theirs,
    proof,
  } = await readLine(socket, { maxBytes: MAX_UNPROVED_BYTES })
  if (!isProved(proof, proofOf(token, 'gateway', nonce, theirs)))
    throw new NotShared('what answers at its socket is not this person’s gateway')
  const facts = readFacts(sent)
  if (!facts)
    throw new NotShared(
      'the gateway that runs is of a version that this one cannot talk to. Run `portolan stop` of that version, or update',
    )
  writeLine(socket, { proof: proofOf(token, 'client', nonce, theirs), ...question })
  return facts
}

/** The gateway's side of the conversation: returns the question of a proved client. */
export async function welcome(
  socket: Duplex,
  token: string,
  facts: GatewayFacts,
): Promise<Question | undefined> {
  const { portolan: sent, nonce: theirs } = await readLine(socket, { maxBytes: MAX_UNPROVED_BYTES })
  const nonce = newNonce()
  const protocol = commonProtocol(sent)
  writeLine(socket, {
    portolan: { ...facts, ...(protocol !== undefined && { protocol }) },
    nonce,
    proof: proofOf(token, 'gateway', theirs, nonce),
  })
  const { proof, ask, params } = await readLine(socket)
  if (!isProved(proof, proofOf(token, 'client', theirs, nonce))) return undefined
  return typeof ask === 'string' ? { ask, params: isObject(params) ? params : {} } : undefined
}

/** The other side closed the connection, as a gateway does that ends at this moment. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded'
}

export function writeLine(socket: Duplex, message: JsonObject): void {
  socket.write(`${JSON.stringify(message)}\n`)
}

/** Reads one line of JSON; what follows it stays in the stream. */
export async function readLine(
  socket: Duplex,
  { maxBytes = MAX_BYTES, waitMs = LINE_MS } = {},
): Promise<JsonObject> {
  const line = await withTimeout(untilLine(socket, maxBytes), waitMs, () => undefined)
  if (line === undefined) throw new NotShared('the gateway that runs does not answer')
  const message: unknown = JSON.parse(line)
  if (!isObject(message)) throw new Error('A line of the conversation is not an object')
  return message
}

async function untilLine(socket: Duplex, maxBytes: number): Promise<string> {
  let text = Buffer.alloc(0)
  return new Promise((resolve, reject) => {
    const read = () => {
      const chunk: Buffer | null = socket.read()
      if (chunk === null) return
      text = Buffer.concat([text, chunk])
      const end = text.indexOf(0x0a)
      if (end === -1 && text.length <= maxBytes) return
      stop()
      if (end === -1) return reject(new Error('A line of the conversation is too long'))
      if (end + 1 < text.length) socket.unshift(text.subarray(end + 1))
      resolve(text.toString('utf8', 0, end))
    }
    const fail = (error?: Error) => {
      stop()
      reject(new ConnectionEnded('The connection has ended', { cause: error }))
    }
    const stop = () => {
      socket.off('readable', read)
      socket.off('end', fail)
      socket.off('close', fail)
      socket.off('error', fail)
    }
    socket.on('readable', read)
    socket.on('end', fail)
    socket.on('close', fail)
    socket.on('error', fail)
    read()
  })
}

function commonProtocol(sent: unknown): number | undefined {
  const theirs = isObject(sent) && Array.isArray(sent['protocols']) ? sent['protocols'] : []
  return PROTOCOLS.findLast((protocol) => theirs.includes(protocol))
}

/** Returns undefined if the gateway knows no version of the conversation that we know. */
function readFacts(sent: unknown): GatewayFacts | undefined {
  if (!isObject(sent)) return undefined
  const { protocol, kind, version, pid } = sent
  if (typeof protocol !== 'number' || !PROTOCOLS.includes(protocol)) return undefined
  return {
    kind: kind === 'serve' ? 'serve' : 'background',
    version: String(version),
    pid: Number(pid),
  }
}

/** Both nonces are part of it, so that no proof of one conversation is worth anything in another. */
function proofOf(token: string, role: string, first: unknown, second: unknown): string {
  return createHmac('sha256', token)
    .update(`${role}\n${String(first)}\n${String(second)}`)
    .digest('hex')
}

function isProved(proof: unknown, expected: string): boolean {
  if (typeof proof !== 'string' || proof.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(proof), Buffer.from(expected))
}

function newNonce(): string {
  return randomBytes(16).toString('hex')
}
