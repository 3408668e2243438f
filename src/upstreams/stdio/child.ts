import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Environment } from '../../base/environment.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { inheritedFrom } from '../../base/inherited.ts'
import { guardGroup, releaseGroup } from './reaper.ts'

export interface ChildOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  /** Where it gets its paths, language and proxies from; by default the variables of this process. */
  readonly inherits?: Environment | undefined
}

export interface Child {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Settles with the reason once the process has ended or could not start. */
  readonly gone: Promise<Error>
  /** Closes its input, waits, then ends its whole process group. */
  stop(): Promise<void>
}

const GRACE_MS = 2000
/** How long to wait for the rest of its output: what it started may hold the pipes open. */
const LAST_OUTPUT_MS = 250
const OWN_GROUP = process.platform !== 'win32'

/** Starts a server in its own process group, so that what `npx` and the like start ends too. */
export function startChild(options: ChildOptions): Child {
  const child = spawn(options.command, [...options.args], {
    env: { ...inheritedFrom(options.inherits ?? process.env), ...options.env },
    cwd: options.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: OWN_GROUP,
    windowsHide: true,
  })
  child.stdin.on('error', () => undefined)
  const { pid } = child
  if (pid !== undefined && OWN_GROUP) guardGroup(pid)
  const gone = ended(child).then((reason) => {
    if (pid !== undefined) endGroup(pid)
    return reason
  })
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    gone,
    stop: async () => stop(child, gone),
  }
}

async function ended(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<Error> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error))
    child.once('exit', (code, signal) => {
      const how = signal ? `was ended by ${signal}` : `exited with code ${code}`
      const reason = new Error(`its process ${how}`)
      // Its last output, mostly the reason, may arrive after the exit event.
      child.once('close', () => resolve(reason))
      setTimeout(() => resolve(reason), LAST_OUTPUT_MS).unref()
    })
  })
}

async function stop(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  gone: Promise<Error>,
): Promise<void> {
  const { pid } = child
  child.stdin.end()
  if (pid === undefined || (await isGoneSoon(gone))) return
  signalGroup(pid, 'SIGTERM')
  if (await isGoneSoon(gone)) return
  signalGroup(pid, 'SIGKILL')
  await isGoneSoon(gone)
}

/** Ends what a child left in its process group, after a moment to end by itself. */
function endGroup(group: number): void {
  if (!signalGroup(group, 'SIGTERM')) return releaseGroup(group)
  const timer = setTimeout(() => {
    signalGroup(group, 'SIGKILL')
    releaseGroup(group)
  }, GRACE_MS / 2)
  timer.unref()
}

function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(OWN_GROUP ? -pid : pid, signal)
  } catch {
    return false // No such process: it has ended already.
  }
}

async function isGoneSoon(gone: Promise<Error>): Promise<boolean> {
  return withTimeout(
    gone.then(() => true),
    GRACE_MS,
    () => false,
  )
}
