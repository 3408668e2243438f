import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { dirname, join, resolve } from 'node:path'
import type { JsonObject } from '../../src/base/json/json.ts'
import { Sender } from './sender.ts'

const ROOT = resolve(import.meta.dirname, '../..')
export const MAIN = join(ROOT, 'dist/cli/main.js')

export interface RigOptions {
  readonly servers?: JsonObject
  readonly rules?: JsonObject
  /** The content of portolan.yaml. */
  readonly settings?: JsonObject
  readonly env?: Readonly<Record<string, string>>
  /** Files beside the configuration, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** An existing folder, to start a gateway again. */
  readonly folder?: string
  /** Starts it in a folder as it is: its files are found there, and used as far as they are trusted. */
  readonly asFound?: boolean
  /** Shell commands before the program, such as `ulimit -n 100;`. */
  readonly before?: string
}

/** The built gateway over HTTP on loopback, in its own folder. */
export class Rig extends Sender {
  readonly folder: string
  readonly child: ChildProcess
  readonly #said: () => string

  private constructor(url: string, folder: string, child: ChildProcess, said: () => string) {
    super(url)
    this.folder = folder
    this.child = child
    this.#said = said
  }

  static async open(options: RigOptions = {}): Promise<Rig> {
    const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'portolan-attack-'))
    const { servers = {}, rules, settings, files = {} } = options
    const all: Record<string, string> = {
      ...(!options.asFound && { '.mcp.json': JSON.stringify({ mcpServers: servers }) }),
      ...(rules && { '.mcp-gateway-rules.json': JSON.stringify(rules) }),
      ...(settings && { 'portolan.yaml': JSON.stringify(settings) }),
      ...files,
    }
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const flags = options.asFound ? [] : configFlags(folder, all)
    const program = [process.execPath, MAIN, 'serve', '--port', '0', ...flags]
    const line = `${options.before ?? ''} exec ${program.map((word) => `'${word}'`).join(' ')}`
    const child = spawn('/bin/sh', ['-c', line], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        PORTOLAN_HOME: join(folder, 'home'),
        ...options.env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const url = await until(() => /listening on (http:\/\/\S+)/.exec(said)?.[1], 30_000)
    if (url === undefined) throw new Error(`The gateway did not start: ${said}`)
    return new Rig(url, folder, child, () => said)
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  log(): string {
    return this.#said()
  }

  audit(): string {
    return readFileSync(join(this.folder, 'home', 'audit.jsonl'), 'utf8')
  }

  /** A new key of an agent. */
  keyOf(agent: string): string {
    const { folder } = this
    const words = [MAIN, 'keys', 'create', agent, '--role', 'viewer']
    const said = execFileSync(process.execPath, words, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, PORTOLAN_HOME: join(folder, 'home') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return /ptk_\S+/.exec(said)?.[0] ?? said.trim().split(/\s+/).at(-1) ?? ''
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const gone = once(this.child, 'exit')
    this.child.kill(signal)
    const late = setTimeout(() => this.child.kill('SIGKILL'), 10_000)
    await gone
    clearTimeout(late)
  }

  async discard(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Names the files explicitly: files that are only found in the working folder are not trusted. */
function configFlags(folder: string, files: Readonly<Record<string, string>>): string[] {
  return [
    '--mcp',
    join(folder, '.mcp.json'),
    ...('.mcp-gateway-rules.json' in files
      ? ['--rules', join(folder, '.mcp-gateway-rules.json')]
      : []),
    ...('portolan.yaml' in files ? ['--config', join(folder, 'portolan.yaml')] : []),
  ]
}

/** Polls until `find` returns a value; undefined if it does not in time. */
export async function until<Value>(
  find: () => Value | undefined | Promise<Value | undefined>,
  withinMs: number,
): Promise<Value | undefined> {
  const end = performance.now() + withinMs
  while (performance.now() < end) {
    const found = await find()
    if (found !== undefined && found !== false) return found
    await sleep(50)
  }
  return undefined
}
