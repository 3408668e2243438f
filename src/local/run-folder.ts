import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import { NotShared } from './not-shared.ts'

/** Where the person's gateway listens, and what proves that it is theirs. */
export interface RunFolder {
  readonly path: string
  readonly socket: string
  /** The secret that both sides of a connection prove to know. */
  readonly token: string
}

/** A path of a socket may have 107 bytes on Linux and 103 on macOS. */
const MAX_SOCKET_PATH = 103
const SOCKET_NAME = 'gateway.sock'
/** A socket is made under a name of its own, then renamed. */
const LONGEST_NAME = `${SOCKET_NAME}.4194304`
const TOKEN_BYTES = 32
const IS_WINDOWS = process.platform === 'win32'

/** Returns the folder for the socket of a data folder; nothing is created. */
export function runFolderOf(home: string, env: Environment): string {
  // That of the gateway of a tape, for the clients that `portolan record` and `replay` start.
  const given = env['PORTOLAN_RUN']
  if (given) return given
  const own = join(home, 'run')
  if (IS_WINDOWS || Buffer.byteLength(join(own, LONGEST_NAME)) <= MAX_SOCKET_PATH) return own
  const name = `portolan-${userId()}-${hashOf(home)}`
  const runtime = env['XDG_RUNTIME_DIR']
  const base = runtime?.startsWith('/') ? runtime : tmpdir()
  return join(base, name)
}

/**
 * Creates the folder where it does not exist, and checks that nobody else can write there: what is
 * in it could otherwise be somebody else's.
 */
export function makeRunFolder(home: string, env: Environment): string {
  const path = runFolderOf(home, env)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  checkFolder(path)
  return path
}

/** Makes the folder ready for the socket of a gateway. */
export function openRunFolder(home: string, env: Environment): RunFolder {
  const path = runFolderOf(home, env)
  try {
    makeRunFolder(home, env)
    const socket = IS_WINDOWS ? `\\\\.\\pipe\\portolan-${hashOf(home)}` : join(path, SOCKET_NAME)
    return { path, socket, token: readToken(path) ?? createToken(path) }
  } catch (error) {
    if (error instanceof NotShared) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new NotShared(`the folder ${path} cannot be used: ${why}`)
  }
}

function checkFolder(path: string): void {
  const stat = lstatSync(path)
  if (!stat.isDirectory())
    throw new NotShared(`${path} is not a folder. Remove it; Portolan creates it again`)
  if (IS_WINDOWS) return
  if (stat.uid !== userId())
    throw new NotShared(`${path} belongs to another user. Remove it; Portolan creates it again`)
  if ((stat.mode & 0o077) !== 0)
    throw new NotShared(`other users may read or write ${path}. Run: chmod 700 ${path}`)
}

/** Returns undefined if there is none yet. */
function readToken(folder: string): string | undefined {
  const path = join(folder, 'token')
  let opened: number
  try {
    opened = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
  try {
    const stat = fstatSync(opened)
    const isPrivate = IS_WINDOWS || (stat.uid === userId() && (stat.mode & 0o077) === 0)
    if (!stat.isFile() || !isPrivate)
      throw new NotShared(`others may know ${path}. Remove it; Portolan creates it again`)
    const token = readFileSync(opened, 'utf8')
    if (token.length !== TOKEN_BYTES * 2)
      throw new NotShared(`${path} is damaged. Remove it; Portolan creates it again`)
    return token
  } finally {
    closeSync(opened)
  }
}

/** Creates the token at once with its content, so that nobody reads a half of it. */
function createToken(folder: string): string {
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  const path = join(folder, 'token')
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, token, { mode: 0o600, flag: 'wx' })
    linkSync(draft, path)
    return token
  } catch (error) {
    const other = hasCode(error, 'EEXIST') ? readToken(folder) : undefined
    if (other === undefined) throw error
    return other
  } finally {
    rmSync(draft, { force: true })
  }
}

function userId(): number {
  return process.getuid?.() ?? 0
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
