import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Place, Upstream } from '../upstream.ts'

/** Where a task is, and whose it is. */
export interface TaskRef {
  /** Empty for a task of a tool of the gateway's own. */
  readonly server: string
  readonly tool: string
  /** Whose results it has: that agent's, in the name of one person. Nobody else may use the id. */
  readonly owner: string
  /** The replica that runs it, or has the process that does; empty where every replica can reach it. */
  readonly replica: string
  /** The connection to a child process, or the session of a remote server, that it was made in; empty where any will do. */
  readonly connection: string
  /** What the server calls it, or what it is stored under; empty for a task that ends with its process. */
  readonly upstreamId: string
  /** The era of the server that calls it so: each has its own form of tasks. */
  readonly era: 'legacy' | 'modern'
  /** What the gateway calls a task that it keeps; empty for a task of the server. */
  readonly heldId: string
  /** The run of the gateway that keeps it, or whose child process does; empty where it outlives them. */
  readonly run: string
  /** In milliseconds since the epoch. */
  readonly createdAt: number
  /** How long it can be asked for; infinite where its server sets no limit. */
  readonly ttlMs: number
}

/** Where requests about a task are sent to. */
export function placeOf({ connection }: TaskRef, { kind }: Pick<Upstream, 'kind'>): Place {
  if (connection === '') return {}
  return kind === 'http' ? { session: connection } : { connection }
}

/** The ids that clients see: they say where a task is, to whoever has the key of this installation. */
export interface TaskIds {
  seal(ref: TaskRef): string
  /** Undefined for what is no id of ours. */
  open(id: unknown): TaskRef | undefined
}

const PREFIX = 'pt_'
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Longer than any that is made here; what is longer is not decrypted. */
const LONGEST = 4096

/** Encrypted and signed, so that an id can be neither guessed nor read, and needs no table to be found. */
export function createTaskIds(secret: () => Buffer): TaskIds {
  let known: Buffer | undefined
  /** A key of its own, so that no other use of the secret can make an id. */
  const key = () => (known ??= createHmac('sha256', secret()).update('task ids').digest())

  return {
    seal(ref) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key(), nonce)
      const text = JSON.stringify(FIELDS.map((field) => ref[field]))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(id) {
      if (typeof id !== 'string' || !id.startsWith(PREFIX) || id.length > LONGEST) return undefined
      const bytes = Buffer.from(id.slice(PREFIX.length), 'base64url')
      if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv(ALGORITHM, key(), bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
        const parts: unknown = JSON.parse(Buffer.concat([opened, decipher.final()]).toString())
        return Array.isArray(parts) ? toRef(parts.map((part) => String(part ?? ''))) : undefined
      } catch {
        return undefined // Forged, or made with another key.
      }
    },
  }
}

/** In the order in which they are in an id. */
const FIELDS = [
  'server',
  'tool',
  'owner',
  'replica',
  'connection',
  'upstreamId',
  'era',
  'heldId',
  'run',
  'createdAt',
  'ttlMs',
] as const satisfies readonly (keyof TaskRef)[]

function toRef(parts: readonly string[]): TaskRef {
  const text = (field: (typeof FIELDS)[number]) => parts[FIELDS.indexOf(field)] ?? ''
  const ttlMs = text('ttlMs')
  return {
    server: text('server'),
    tool: text('tool'),
    owner: text('owner'),
    replica: text('replica'),
    connection: text('connection'),
    upstreamId: text('upstreamId'),
    era: text('era') === 'legacy' ? 'legacy' : 'modern',
    heldId: text('heldId'),
    run: text('run'),
    createdAt: Number(text('createdAt')),
    // JSON has no infinity.
    ttlMs: ttlMs === '' ? Infinity : Number(ttlMs),
  }
}
