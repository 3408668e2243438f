import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { removeSealed } from '../../src/upstreams/stdio/packages/sealed-files.ts'
import {
  type NpmRegistry,
  PACKAGED_SERVER,
  packagedServer,
  startRegistry,
} from '../../test/support/npm-registry.ts'
import type { Attack, Field } from './report.ts'
import { MAIN, Rig } from './rig.ts'

const NAME = 'pages-mcp'
const dependencies = { words: '^1.0.0' }
const GOOD = packagedServer(['read_page'], { dependencies })
const WORDS = { files: { 'tools.json': '["count_words"]' } }

/** Replaces what a pinned server is made of. A program with all rights of the person could also replace the gateway. */
export const packages: Attack = {
  name: 'packages that are not what was locked',
  async run(field) {
    await using registry = await startRegistry()
    registry.publish('words', '1.0.0', WORDS)
    registry.publish(NAME, '1.0.0', GOOD)
    const machine = new Machine(registry)
    try {
      await field.try('control: the server is installed, and answers', async () =>
        machine.answers(),
      )
      for (const [what, attack] of Object.entries(changesOf(machine)))
        await field.try(what, async () => {
          await attack()
          return (await machine.answers()) && !machine.isReached
        })
      await publishOthers(field, machine)
    } finally {
      await machine.remove()
    }
  },
}

type Change = () => void | Promise<void>

/** What a program with the rights of the person could do to the files of a package. */
function changesOf(machine: Machine): Record<string, Change> {
  const server = () => machine.file('node_modules/pages-mcp/server.mjs')
  const whole = () => dirname(machine.file('.'))
  return {
    'a file of the package is replaced': () => machine.write(server(), machine.evil),
    'its dependency is replaced by a symbolic link': async () =>
      machine.link(machine.file('node_modules/words')),
    'its program is replaced by a symbolic link': async () => machine.link(server(), 'server.mjs'),
    'the whole package is replaced by a symbolic link': async () => machine.link(dirname(server())),
    'a dependency is planted nearer': () =>
      machine.write(join(dirname(server()), 'node_modules/words/tools.json'), '["steal"]'),
    'its program is changed, and the list of its files removed': () => {
      machine.write(server(), machine.evil)
      rmSync(join(whole(), 'files.json'))
    },
    'it is planted before it is installed': async () => {
      await removeSealed(whole())
      machine.write(server(), machine.evil)
    },
    'the cache of npm is poisoned before it is installed': async () => {
      await removeSealed(whole())
      machine.poisonCache()
    },
    'its working folder names another registry, and has a package of its name': () => {
      machine.write(join(machine.path, '.npmrc'), 'registry=http://127.0.0.1:9/')
      machine.write(join(machine.path, 'node_modules/pages-mcp/package.json'), '{}')
      machine.write(join(machine.path, 'node_modules/.bin/pages-mcp'), machine.evil)
      chmodSync(join(machine.path, 'node_modules/.bin/pages-mcp'), 0o755)
    },
  }
}

/** What the publisher, or who took their account, could do. */
async function publishOthers(field: Field, machine: Machine): Promise<void> {
  const { registry } = machine
  const evil = { ...GOOD, files: { ...GOOD.files, 'server.mjs': machine.evil } }
  const lock = join(machine.path, 'mcp.lock')
  await field.try('control: the lock is written', async () => {
    await machine.lock()
    return readFileSync(lock, 'utf8').includes('sha512-')
  })
  await field.try('a new version and a new version of its dependency are published', async () => {
    registry.publish(NAME, '1.0.1', evil)
    registry.publish('words', '1.0.1', { files: { 'tools.json': '["steal"]' } })
    return (await machine.answers()) && !machine.isReached
  })
  const others: Record<string, () => void> = {
    'the locked version has another archive': () => registry.publish(NAME, '1.0.0', evil),
    'the locked version of its dependency has another archive': () => {
      registry.publish(NAME, '1.0.0', GOOD)
      registry.publish('words', '1.0.0', { files: { 'tools.json': '["steal"]' } })
    },
  }
  for (const [what, publish] of Object.entries(others))
    await field.try(`a second clone: ${what}`, async () => {
      publish()
      const clone = new Machine(registry)
      try {
        clone.write(join(clone.path, 'mcp.lock'), readFileSync(lock, 'utf8'))
        return !(await clone.answers()) && !clone.isReached
      } finally {
        await clone.remove()
      }
    })
}

/** The home folder of a person, with a project in which a gateway starts the server. */
class Machine {
  readonly path: string
  readonly elsewhere: string
  readonly registry: NpmRegistry
  readonly #home = mkdtempSync(join(tmpdir(), 'portolan-attack-'))

  constructor(registry: NpmRegistry) {
    this.registry = registry
    this.path = join(this.#home, 'project')
    this.elsewhere = join(this.#home, 'elsewhere')
    this.write(join(this.#home, '.npmrc'), registry.npmrc)
    for (const [name, text] of Object.entries({ ...GOOD.files, 'server.mjs': this.evil }))
      this.write(join(this.elsewhere, name), text)
    this.write(join(this.elsewhere, 'package.json'), '{"name":"pages-mcp","bin":"server.mjs"}')
  }

  /** A server that leaves a mark when it runs. */
  get evil(): string {
    const mark = `import { writeFileSync } from 'node:fs'\nwriteFileSync('${this.#mark}', '')`
    return PACKAGED_SERVER.replace('\n', `\n${mark}\n`)
  }

  get #mark(): string {
    return join(this.#home, 'mark')
  }

  /** Whether code ran that was not locked, or a tool was offered that was not. */
  get isReached(): boolean {
    return existsSync(this.#mark) || this.#isOffered
  }

  #isOffered = false

  /** Starts a gateway, and returns whether the server that was locked answers. */
  async answers(): Promise<boolean> {
    return this.#during(async (rig) => {
      const said = await rig.call('pages__read_page', {})
      const listed = await rig.call('pages__steal', {})
      this.#isOffered ||= listed.includes('steal ran')
      return said.includes('read_page ran')
    })
  }

  async lock(): Promise<void> {
    const env = {
      PATH: process.env['PATH'],
      HOME: this.#home,
      PORTOLAN_HOME: join(this.path, 'home'),
    }
    const flags = ['--mcp', join(this.path, '.mcp.json')]
    await promisify(execFile)(process.execPath, [MAIN, 'lock', ...flags], { cwd: this.path, env })
  }

  async #during<Result>(work: (rig: Rig) => Promise<Result>): Promise<Result> {
    const rig = await Rig.open({
      folder: this.path,
      servers: { pages: { command: 'npx', args: ['-y', NAME] } },
      env: { HOME: this.#home },
    })
    try {
      return await work(rig)
    } finally {
      await rig.stop()
    }
  }

  /** A path in the folder of the installed package. */
  file(name: string): string {
    const root = join(this.path, 'home/packages')
    const installed = readdirSync(root).find((one) => one.startsWith(`${NAME}@`)) ?? this.#last
    this.#last = installed
    return join(root, installed, 'package', name)
  }

  #last = ''

  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  /** Puts a symbolic link to files that were not installed in the place of some that were. */
  async link(path: string, name = '.'): Promise<void> {
    if (lstatSync(path).isDirectory()) await removeSealed(path)
    else rmSync(path)
    symlinkSync(join(this.elsewhere, name), path)
  }

  /** Gives every archive in the cache of npm another content, under its old integrity. */
  poisonCache(): void {
    const root = join(this.#home, '.npm/_cacache/content-v2')
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      const path = join(root, name)
      if (lstatSync(path).isFile()) writeFileSync(path, this.evil)
    }
  }

  async remove(): Promise<void> {
    await removeSealed(this.#home)
  }
}
