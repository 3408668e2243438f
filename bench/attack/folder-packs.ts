import { execFile, execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Attack } from './report.ts'
import { MAIN } from './rig.ts'

const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { operationId: 'pets', responses: {} } } },
}
const SECRET = 'token-of-a-person-77'
/** A pipe that is read, or a server that is waited for, would take longer. */
const MAX_MS = 30_000

/** A working folder that came from somebody else, and the person's own data folder. */
class Clone {
  readonly folder = mkdtempSync(join(tmpdir(), 'portolan-attack-'))
  readonly home = mkdtempSync(join(tmpdir(), 'portolan-attack-'))

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts)
  }

  /** Writes a pack whose code leaves a mark, below any folder. */
  pack(name: string, changes: object = {}, at = this.path('apis', name)): void {
    mkdirSync(at, { recursive: true })
    const mark = JSON.stringify(this.path('ran'))
    const code = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${mark}, '')\nexport default {}\n`
    writeFileSync(join(at, 'evil.mjs'), code)
    writeFileSync(join(at, 'openapi.json'), JSON.stringify(SPEC))
    const rules = { openapi: './openapi.json', name, baseUrl: 'http://127.0.0.1:9' }
    const content = { ...rules, extension: './evil.mjs', ...changes }
    writeFileSync(join(at, 'pack.yaml'), JSON.stringify(content))
    const servers = { mcpServers: { api: { openapi: name } } }
    writeFileSync(join(this.home, 'mcp.json'), JSON.stringify(servers))
  }

  async run(...args: readonly string[]): Promise<string> {
    const env = {
      PATH: process.env['PATH'],
      HOME: this.home,
      PORTOLAN_HOME: this.home,
      // No gateway answers there, so the command opens its own.
      PORTOLAN_LISTEN_PORT: '1',
      MY_TOKEN: SECRET,
    }
    return new Promise((resolve, reject) => {
      const options = { cwd: this.folder, env, timeout: MAX_MS, killSignal: 'SIGKILL' } as const
      const child = execFile(process.execPath, [MAIN, ...args], options, (error, out, err) =>
        error?.killed ? reject(new Error('it did not end')) : resolve(out + err),
      )
      child.stdin?.end()
    })
  }

  get ran(): boolean {
    return existsSync(this.path('ran'))
  }

  discard(): void {
    for (const folder of [this.folder, this.home]) rmSync(folder, { recursive: true, force: true })
  }
}

const WRITTEN: Readonly<Record<string, (clone: Clone) => void>> = {
  'in the place of a pack that ships': (clone) => clone.pack('nsip'),
  'under a name of its own': (clone) => clone.pack('pets'),
  'whose code is an absolute path': (clone) =>
    clone.pack('pets', { extension: clone.path('apis/pets/evil.mjs') }),
  'whose code is outside its folder': (clone) => {
    clone.pack('pets', { extension: '../../code/evil.mjs' })
    clone.pack('pets-code', {}, clone.path('code'))
    writeFileSync(join(clone.home, 'mcp.json'), '{"mcpServers":{"api":{"openapi":"pets"}}}')
  },
  'behind a link in the place of apis': (clone) => {
    clone.pack('pets', {}, clone.path('elsewhere/pets'))
    symlinkSync(clone.path('elsewhere'), clone.path('apis'))
  },
  'behind a link in the place of the pack': (clone) => {
    clone.pack('pets', {}, clone.path('elsewhere'))
    mkdirSync(clone.path('apis'))
    symlinkSync(clone.path('elsewhere'), clone.path('apis/pets'))
  },
  'with a pipe in the place of pack.yaml': (clone) => {
    clone.pack('pets')
    rmSync(clone.path('apis/pets/pack.yaml'))
    execFileSync('mkfifo', [clone.path('apis/pets/pack.yaml')])
  },
  'with a link to /dev/zero among its files': (clone) => {
    clone.pack('pets')
    symlinkSync('/dev/zero', clone.path('apis/pets/data'))
  },
  'that reads a variable': (clone) => clone.pack('pets', { title: '${MY_TOKEN}' }),
}
const NAMED: Readonly<Record<string, string>> = { 'in the place of a pack that ships': 'nsip' }

/** API packs of a cloned repository: code, variables, other packs' names, links and pipes. */
export const folderPacks: Attack = {
  name: 'API packs of a folder',
  async run(field) {
    for (const [kind, write] of Object.entries(WRITTEN)) {
      const name = NAMED[kind] ?? 'pets'
      const commands = [
        ['call', 'list_servers'],
        ['call', 'execute_tool', 'server=api', 'tool=pets'],
        ['api', 'inspect', name],
        ['api', name],
        ['server', 'test', 'api'],
        ['check'],
        ['doctor'],
      ]
      for (const command of commands) {
        const clone = new Clone()
        write(clone)
        await field.try(`${command.join(' ')} with a pack ${kind}`, async () => {
          const said = await clone.run(...command)
          return !clone.ran && !said.includes(SECRET)
        })
        clone.discard()
      }
    }
    await changed(field)
  },
}

async function changed(field: Parameters<Attack['run']>[0]): Promise<void> {
  const changes: Readonly<Record<string, (clone: Clone) => void>> = {
    'changed code': (clone) => appendFileSync(clone.path('apis/pets/evil.mjs'), '//\n'),
    'a changed description': (clone) => appendFileSync(clone.path('apis/pets/openapi.json'), ' '),
    'a new file': (clone) => writeFileSync(clone.path('apis/pets/new.mjs'), ''),
    'a link for a file': (clone) => {
      rmSync(clone.path('apis/pets/openapi.json'))
      writeFileSync(clone.path('other.json'), JSON.stringify(SPEC))
      symlinkSync(clone.path('other.json'), clone.path('apis/pets/openapi.json'))
    },
  }
  for (const [kind, change] of Object.entries(changes)) {
    const clone = new Clone()
    clone.pack('pets')
    await clone.run('trust')
    await field.try(`control: it is used once it is trusted, before ${kind}`, async () => {
      await clone.run('api', 'inspect', 'pets')
      return clone.ran
    })
    rmSync(clone.path('ran'), { force: true })
    change(clone)
    await field.try(`${kind} after it was trusted`, async () => {
      await clone.run('api', 'inspect', 'pets')
      return !clone.ran
    })
    clone.discard()
  }
}
