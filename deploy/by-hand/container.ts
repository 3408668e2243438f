import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Later } from '../../test/support/temp-folder.ts'
import { DEPLOY, type Service, readHealthCheck, readImageVariables } from './compose-file.ts'

const MAIN = join(DEPLOY, '../dist/cli/main.js')
/** The user of the image, who may write only to the volumes; only root can become somebody else. */
const USER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

/** Where the processes of this machine find what containers find under the names of compose.yaml. */
export interface Places {
  /** A folder for volumes. */
  readonly folder: string
  /** Addresses, such as `database:5432`. */
  readonly addresses: ReadonlyMap<string, string>
}

/** A service of ours as a process with its environment, in which only names of places are replaced. */
export class Container {
  readonly #service: Service
  readonly #folders: ReadonlyMap<string, string>
  readonly #env: Record<string, string>
  readonly url: string
  #child: ChildProcess | undefined
  #log = ''

  constructor(
    service: Service,
    places: Places,
    port: number,
    portVariable = 'PORTOLAN_LISTEN_PORT',
  ) {
    this.#service = service
    this.#folders = foldersOf(service, places.folder)
    this.url = `http://127.0.0.1:${port}`
    const bin = join(places.folder, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'portolan'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`, {
      mode: 0o755,
    })
    const given = { ...readImageVariables(), ...service.environment }
    const replaced = Object.entries(given).map(([name, value]) => {
      let here = this.#here(String(value))
      for (const [from, to] of places.addresses) here = here.replaceAll(from, to)
      return [name, here]
    })
    this.#env = {
      ...Object.fromEntries(replaced),
      PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      // All containers listen at one port, each at its own address.
      PORTOLAN_LISTEN_HOST: '127.0.0.1',
      [portVariable]: String(port),
    }
  }

  /** The folder of a volume, by where it is mounted. */
  folder(mounted: string): string {
    return this.#here(mounted)
  }

  /** Runs a command of Portolan to its end, like `docker compose run --rm`. */
  async run(...args: string[]): Promise<string> {
    return this.#toEnd(process.execPath, [MAIN, ...args])
  }

  /** Runs the command of the service, which ends by itself. */
  async runEntrypoint(): Promise<string> {
    const [program = '', ...args] = (this.#service.entrypoint ?? []).map((part) => {
      let here = part
      for (const [mounted, path] of this.#folders) here = here.replace(`${mounted}/`, `${path}/`)
      return here
    })
    return this.#toEnd(program, args)
  }

  /** Starts its server, and waits for its health check. */
  async start(later: Later): Promise<void> {
    const args = [MAIN, ...(this.#service.command ?? ['serve'])]
    const child = this.#spawn(process.execPath, args)
    this.#child = child
    later(async () => this.stop('SIGKILL'))
    child.stderr?.on('data', (chunk: Buffer) => (this.#log += chunk.toString()))
    for (let attempt = 0; !this.isHealthy(); attempt += 1) {
      if (attempt > 100 || child.exitCode !== null) throw new Error(`Not healthy:\n${this.#log}`)
      await sleep(200)
    }
  }

  isHealthy(): boolean {
    const [, ...args] = readHealthCheck()
    return spawnSync(process.execPath, args, { env: this.#env }).status === 0
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** The memory of its process, and of those below it, in MB. */
  memory(): { gateway: number; servers: number } {
    const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,rss='])
    const all = stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ +/).map(Number))
    const below = (pid: number): number =>
      all
        .filter(([, parent]) => parent === pid)
        .reduce((sum, [child = 0, , kb = 0]) => sum + kb + below(child), 0)
    const pid = this.#child?.pid ?? 0
    const [, , own = 0] = all.find(([each]) => each === pid) ?? []
    return { gateway: Math.round(own / 1024), servers: Math.round(below(pid) / 1024) }
  }

  #here(path: string): string {
    const mounted = [...this.#folders.keys()].find(
      (each) => path === each || path.startsWith(`${each}/`),
    )
    return mounted === undefined
      ? path
      : (this.#folders.get(mounted) ?? '') + path.slice(mounted.length)
  }

  async #toEnd(program: string, args: readonly string[]): Promise<string> {
    const child = this.#spawn(program, args)
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
    const [code]: unknown[] = await once(child, 'exit')
    if (code !== 0)
      throw new Error(`${args.slice(1).join(' ')} ended with ${String(code)}:\n${await stderr}`)
    return stdout
  }

  #spawn(program: string, args: readonly string[]) {
    const cwd = this.#here('/data')
    return spawn(program, args, { cwd, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'], ...USER })
  }
}

/** The configuration and the empty volumes of the image, where a service mounts nothing over them. */
const IN_THE_IMAGE = ['./config:/config', 'empty-data:/data', 'empty-home:/home/node']

/** Makes the folders of a service's volumes; what the file mounts from this folder is copied. */
function foldersOf({ volumes = [] }: Service, folder: string): Map<string, string> {
  return new Map(
    [...IN_THE_IMAGE, ...volumes].map((volume) => {
      const [source = '', mounted = ''] = volume.split(':')
      const path = join(folder, source)
      mkdirSync(path, { recursive: true })
      if (source.startsWith('.'))
        cpSync(join(DEPLOY, source), path, { recursive: true, force: false })
      else if (USER.uid !== undefined) chownSync(path, USER.uid, USER.gid)
      return [mounted, path]
    }),
  )
}
