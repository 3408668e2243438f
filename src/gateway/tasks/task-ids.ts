import { createHash } from 'node:crypto'
import type { EraName } from '../../protocol/eras/eras.ts'
import { createSealedIds } from '../../base/secrets/sealed-ids.ts'

/** Where a task is, and whose it is. */
export interface TaskRef {
  /** Empty for a task of one of the gateway's own tools. */
  readonly server: string
  /** `digestOf` its name, where the name would make the id too long. */
  readonly tool: string
  /** The agent that owns it, in the name of one person, or `digestOf` it. Nobody else may use the id. */
  readonly owner: string
  /** The replica that runs it or its child process; empty if every replica can reach it. */
  readonly replica: string
  /** The connection that it was made on; empty if any will do. */
  readonly connection: string
  /** Its id on the server; empty for a task that the gateway keeps. */
  readonly upstreamId: string
  /** The era of that server: each has its own form of tasks. */
  readonly era: EraName
  /** The gateway's id of a kept task; empty for a task of the server. */
  readonly heldId: string
  /** The run of the gateway that keeps it or its connection; empty if it outlives them. */
  readonly run: string
  /** In milliseconds since the epoch. */
  readonly createdAt: number
  /** How long it can be asked for; infinite if its server sets no limit. */
  readonly ttlMs: number
}

/** The ids that clients see; they hold the place of a task, encrypted for this installation. */
export interface TaskIds {
  seal(ref: TaskRef): string
  /** Returns undefined for anything that is not an id of ours. */
  open(id: unknown): TaskRef | undefined
}

/** Longer than any id that is made here. */
const MAX_LENGTH = 4096
/** What fits into 128 characters: Claude Code refuses longer ids of tasks. */
const MAX_BYTES = 65

/** Makes ids that need no table. */
export function createTaskIds(secret: () => Buffer): TaskIds {
  const ids = createSealedIds({
    prefix: 'pt_',
    purpose: 'task ids',
    secret,
    maxLength: MAX_LENGTH,
  })
  return {
    seal(ref) {
      const owner = digestOf(ref.owner)
      const forms = [ref, { ...ref, owner }, { ...ref, owner, tool: digestOf(ref.tool) }]
      const packed = forms.map(pack)
      return ids.seal(packed.find(({ length }) => length <= MAX_BYTES) ?? pack(ref))
    },
    open(id) {
      const bytes = ids.openBytes(id)
      return bytes && unpack(bytes)
    },
  }
}

/** Stands for a text that is too long for an id. */
export function digestOf(text: string): string {
  return `#${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** Whether this is the text, or stands for it. */
export function standsFor(shown: string, text: string): boolean {
  return shown === text || shown === digestOf(text)
}

/** The texts of an id, in their order. */
const TEXTS = [
  'server',
  'tool',
  'owner',
  'replica',
  'connection',
  'upstreamId',
  'heldId',
  'run',
] as const satisfies readonly (keyof TaskRef)[]

/** For milliseconds of 34 years. */
const NUMBER_BYTES = 5
const NO_LIMIT = 2 ** (8 * NUMBER_BYTES) - 1
const FIRST_YEAR = Date.UTC(2023)

/** Texts that are bytes in hexadecimal digits, by the byte that marks them. */
const HEX = [
  { mark: 250, form: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/, bytes: 16 },
  { mark: 251, form: /^[0-9a-f]{8}$/, bytes: 4 },
  { mark: 252, form: /^#[0-9a-f]{16}$/, bytes: 8 },
  { mark: 253, form: /^[0-9a-f]{16}$/, bytes: 8 },
] as const
const MARK_LONG = 255

function pack(ref: TaskRef): Buffer {
  const head = Buffer.alloc(1 + 2 * NUMBER_BYTES)
  head.writeUInt8(ref.era === 'legacy' ? 1 : 0)
  head.writeUIntBE(Math.max(0, ref.createdAt - FIRST_YEAR), 1, NUMBER_BYTES)
  head.writeUIntBE(Math.min(Math.ceil(ref.ttlMs), NO_LIMIT), 1 + NUMBER_BYTES, NUMBER_BYTES)
  return Buffer.concat([head, ...TEXTS.map((field) => packText(ref[field]))])
}

function packText(text: string): Buffer {
  const hex = HEX.find(({ form }) => form.test(text))
  if (hex)
    return Buffer.concat([Buffer.of(hex.mark), Buffer.from(text.replaceAll(/[-#]/g, ''), 'hex')])
  const bytes = Buffer.from(text)
  if (bytes.length < 250) return Buffer.concat([Buffer.of(bytes.length), bytes])
  const length = Buffer.of(MARK_LONG, 0, 0)
  length.writeUInt16BE(bytes.length, 1)
  return Buffer.concat([length, bytes])
}

function unpack(bytes: Buffer): TaskRef {
  let at = 1 + 2 * NUMBER_BYTES
  const take = (length: number) => bytes.subarray(at, (at += length))
  const takeText = () => {
    const [mark = 0] = take(1)
    const hex = HEX.find((each) => each.mark === mark)
    if (hex) return toText(mark, take(hex.bytes).toString('hex'))
    const length = mark === MARK_LONG ? take(2).readUInt16BE() : mark
    return take(length).toString()
  }
  const [server, tool, owner, replica, connection, upstreamId, heldId, run] = TEXTS.map(takeText)
  const ttlMs = bytes.readUIntBE(1 + NUMBER_BYTES, NUMBER_BYTES)
  return {
    server: server ?? '',
    tool: tool ?? '',
    owner: owner ?? '',
    replica: replica ?? '',
    connection: connection ?? '',
    upstreamId: upstreamId ?? '',
    era: bytes[0] === 1 ? 'legacy' : 'modern',
    heldId: heldId ?? '',
    run: run ?? '',
    createdAt: FIRST_YEAR + bytes.readUIntBE(1, NUMBER_BYTES),
    ttlMs: ttlMs === NO_LIMIT ? Infinity : ttlMs,
  }
}

function toText(mark: number, hex: string): string {
  if (mark === 252) return `#${hex}`
  if (mark === 250) return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return hex
}
