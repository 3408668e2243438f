import { readFile, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { isInside } from '../../../base/files/paths.ts'
import type { CallPlan } from '../tools/api-tool.ts'
import { BadArguments } from './bad-arguments.ts'

/** A file to send: its bytes, name and type. */
export class Upload {
  readonly bytes: Uint8Array
  /** Undefined if the agent gave bare bytes. */
  readonly name: string | undefined
  readonly type: string | undefined

  constructor(bytes: Uint8Array, name?: string, type?: string) {
    this.bytes = bytes
    this.name = name
    this.type = type
  }
}

/** Which files of this machine a call may send. */
export interface FileAccess {
  /** Undefined if the caller is not on this machine: its paths mean nothing here. */
  folders(): Promise<readonly string[] | undefined>
}

const MAX_UPLOAD_BYTES = 100_000_000
const MAX_PATH_LENGTH = 4096

/** Returns the arguments with every file of the body read: base64 text, a `data:` URL or a path. */
export async function readUploads(
  { body }: Pick<CallPlan, 'body'>,
  args: JsonObject,
  access: FileAccess,
): Promise<JsonObject> {
  const value = body && args[body.argument]
  if (!body || value === undefined || value === null) return args
  if (body.kind === 'file') {
    return { ...args, [body.argument]: await toUpload(value, body.argument, access) }
  }
  if (body.kind !== 'multipart' || !isObject(value)) return args
  const fields = await Promise.all(
    Object.entries(value).map(async ([name, each]) => {
      const isFile = body.encoding[name]?.file === true
      const at = `${body.argument}.${name}`
      const read = async (one: unknown) =>
        isFile || isDataUrl(one) ? toUpload(one, at, access) : one
      return [name, Array.isArray(each) ? await Promise.all(each.map(read)) : await read(each)]
    }),
  )
  return { ...args, [body.argument]: Object.fromEntries(fields) }
}

async function toUpload(value: unknown, at: string, access: FileAccess): Promise<unknown> {
  if (value === null || value === undefined) return value
  if (typeof value !== 'string') throw notAFile(at)
  if (isDataUrl(value)) return fromDataUrl(value, at)
  const bytes = fromBase64(value)
  if (bytes && !(await isFileHere(value, access))) return new Upload(bytes)
  if (PATH.test(value)) return readAllowed(value, at, access)
  throw notAFile(at)
}

function isDataUrl(value: unknown): boolean {
  return typeof value === 'string' && /^data:[^,]{0,300},/i.test(value)
}

/** `data:text/csv;name=a.csv;base64,…`; without `base64` the rest is percent-encoded text. */
function fromDataUrl(value: string, at: string): Upload {
  const comma = value.indexOf(',')
  const [type = '', ...parameters] = value.slice('data:'.length, comma).split(';')
  const content = value.slice(comma + 1)
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64'
  const bytes = isBase64 ? fromBase64(content) : fromPercent(content)
  if (!bytes) throw notAFile(at)
  const name = parameters.find((each) => /^\s*(file)?name=/i.test(each))?.split('=')[1]
  return new Upload(
    bytes,
    name === undefined ? undefined : fromPercent(name)?.toString(),
    MEDIA_TYPE.test(type) ? type : undefined,
  )
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/

function fromPercent(text: string): Buffer | undefined {
  try {
    return Buffer.from(decodeURIComponent(text))
  } catch {
    return undefined
  }
}

/** Accepts only complete base64: a path or a sentence would decode to meaningless bytes. */
function fromBase64(text: string): Buffer | undefined {
  const dense = text.replaceAll(/\s+/g, '')
  if (dense.length % 4 !== 0 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(dense)) return undefined
  return Buffer.from(dense, 'base64')
}

const PATH = /^(file:|\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/]|[^\s/\\][^\n/\\]*([/\\][^\n/\\]+)*\.\w{1,8}$)/

/** Whether a text that is valid base64 is the path of a file: `/srv/data/LICENSE` may be both. */
async function isFileHere(value: string, access: FileAccess): Promise<boolean> {
  if (value.length > MAX_PATH_LENGTH || !PATH.test(value)) return false
  const folders = await access.folders()
  return (
    folders !== undefined && (await locate(value, folders).catch(() => undefined)) !== undefined
  )
}

async function readAllowed(value: string, at: string, access: FileAccess): Promise<Upload> {
  const folders = await access.folders()
  if (!folders) {
    throw bad(at, 'the content as base64 or a data: URL: paths are read only for local clients')
  }
  const path = await locate(value, folders).catch(() => undefined)
  if (path === undefined) throw bad(at, `a file in ${folders.join(', ') || NO_FOLDER}`)
  const { size } = await stat(path)
  if (size > MAX_UPLOAD_BYTES) throw bad(at, `a file of at most ${MAX_UPLOAD_BYTES / 1e6} MB`)
  return new Upload(await readFile(path), basename(path), TYPES[extname(path).toLowerCase()])
}

const NO_FOLDER =
  'a folder that may be read (none is: the client names no roots and uploadFrom is not set)'

/** The real path of a file below one of the folders; links that lead outside are not followed. */
async function locate(value: string, folders: readonly string[]): Promise<string | undefined> {
  const plain = value.startsWith('file:')
    ? fileURLToPath(value)
    : value.replace(/^~(?=\/)/, homedir())
  for (const folder of folders) {
    const path = await realpath(resolve(folder, plain)).catch(() => undefined)
    if (path === undefined || !isInside(path, await realpath(folder))) continue
    if ((await stat(path)).isFile()) return path
  }
  return undefined
}

function notAFile(at: string): BadArguments {
  return bad(
    at,
    'a file: its bytes as base64, a data: URL (data:text/csv;name=a.csv;base64,…) or a path',
  )
}

function bad(argument: string, expected: string): BadArguments {
  return new BadArguments([{ argument, expected }])
}

/** Types of files that APIs usually receive; any other file is sent as plain bytes. */
const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.csv': 'text/csv',
  '.doc': 'application/msword',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.flac': 'audio/flac',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.m4a': 'audio/mp4',
  '.md': 'text/markdown',
  '.mov': 'video/quicktime',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.ogg': 'audio/ogg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
}
