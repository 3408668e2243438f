import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAIN } from '../support/gateway.ts'
import { removeFolder } from '../support/temporary-folder.ts'

export interface Answer {
  readonly lines: readonly string[]
  readonly exitCode: number
}

export interface Reader {
  write(path: string, content: string): void
  /** Types a command and waits for its end; one that ends in `&` goes on, and `until` says when it is up. */
  type(command: string, until: (lines: readonly string[]) => boolean): Promise<Answer>
  leave(): Promise<void>
}

const REPOSITORY = resolve(import.meta.dirname, '../..')
const END = /<<ended (\d+)>>\n$/
const PATIENCE_MS = 60_000
const DEFAULT_PORT = 7411

export interface ReaderOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A free port, which stands for the default one: something else may listen on that. */
  readonly port?: number
  /** The program behind `portolan`: the one that was built, or one that was installed. */
  readonly main?: string
}

/** Somebody with a shell, an empty home and an empty project folder, who follows a document. */
export function createReader({ env = {}, main = MAIN, port }: ReaderOptions = {}): Reader {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'portolan-docs-')))
  const home = join(place, 'home')
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  installCommand(join(place, 'bin'), main)
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: project,
    // Its own process group, so that what it leaves running ends with it.
    detached: true,
    env: {
      PATH: `${join(place, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
      TERM: 'dumb',
      PORTOLAN_ALONE: '1',
      ...(port !== undefined && { PORTOLAN_LISTEN_PORT: String(port) }),
      ...env,
    },
  })
  let heard = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      heard += text
    })

  const tidy = (text: string) =>
    text
      .replaceAll(project, '~/project')
      .replaceAll(home, '~')
      .replaceAll(REPOSITORY, '~/portolan')
      .replaceAll(`:${port}`, `:${DEFAULT_PORT}`)

  async function foreground(command: string): Promise<Answer> {
    heard = ''
    shell.stdin.write(`{ ${command}\n} 2>&1 </dev/null; printf '<<ended %s>>\\n' $?\n`)
    const deadline = Date.now() + PATIENCE_MS
    while (!END.test(heard)) {
      if (Date.now() > deadline || shell.exitCode !== null)
        throw new Error(`\`${command}\` did not end; it printed:\n${heard}`)
      await sleep(10)
    }
    const exitCode = Number(END.exec(heard)?.[1])
    return { lines: toLines(tidy(heard.replace(END, ''))), exitCode }
  }

  let logs = 0
  async function background(command: string, until: (lines: readonly string[]) => boolean) {
    const log = join(place, `log-${++logs}`)
    writeFileSync(log, '')
    shell.stdin.write(`{ ${command.slice(0, -1)} ; } >${log} 2>&1 </dev/null &\n`)
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const lines = toLines(tidy(readFileSync(log, 'utf8')))
      if (until(lines) || Date.now() > deadline) return { lines, exitCode: 0 }
      await sleep(20)
    }
  }

  return {
    write(path, content) {
      const file = resolve(project, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    },
    async type(written, until) {
      const command =
        port === undefined ? written : written.replaceAll(`:${DEFAULT_PORT}`, `:${port}`)
      return command.endsWith('&') ? background(command, until) : foreground(command)
    },
    async leave() {
      await endGroup(shell)
      removeFolder(place)
    },
  }
}

/** The command as a reader has it after installing: `portolan`, on the path. */
function installCommand(bin: string, main: string): void {
  mkdirSync(bin)
  const script = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`
  writeFileSync(join(bin, 'portolan'), script, { mode: 0o755 })
  symlinkSync(process.execPath, join(bin, 'node'))
}

async function endGroup(shell: ChildProcess): Promise<void> {
  if (shell.pid === undefined || shell.exitCode !== null) return
  const ended = once(shell, 'exit')
  process.kill(-shell.pid, 'SIGTERM')
  const stubborn = setTimeout(() => shell.pid && process.kill(-shell.pid, 'SIGKILL'), 3000)
  await ended
  clearTimeout(stubborn)
}

function toLines(text: string): string[] {
  const lines = text.replaceAll('\r', '').split('\n')
  while (lines.at(-1) === '') lines.pop()
  return lines
}
