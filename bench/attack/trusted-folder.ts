import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../src/base/json/json.ts'
import { MAIN, Rig } from './rig.ts'
import { hostile } from './servers.ts'

export const RULES = '.mcp-gateway-rules.json'
export const MCP = '.mcp.json'
export const TOKEN = 'token-of-a-person'

/** A folder with trusted files, and the gateways that run in it. */
export class TrustedFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'portolan-attack-'))
  #rig: Rig | undefined

  constructor(files: Readonly<Record<string, unknown>>) {
    for (const [name, content] of Object.entries(files)) this.write(name, content)
    this.run('trust')
  }

  write(name: string, content: unknown): void {
    const file = join(this.path, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }

  run(...words: string[]) {
    const { path } = this
    const env = { PATH: process.env['PATH'], HOME: path, PORTOLAN_HOME: join(path, 'home') }
    return spawnSync(process.execPath, [MAIN, ...words], { cwd: path, env, encoding: 'utf8' })
  }

  async start(): Promise<Rig> {
    await this.#rig?.stop()
    this.#rig = await Rig.open({ folder: this.path, asFound: true, env: { MY_TOKEN: TOKEN } })
    return this.#rig
  }

  async discard(): Promise<void> {
    await this.#rig?.stop()
    rmSync(this.path, { recursive: true, force: true })
  }
}

export const all = { servers: ['*'] }
export const ada = (rules: JsonObject, others: JsonObject = {}) => ({
  agents: { ada: rules, ...others },
})
export const one = { one: hostile() }

export async function isAllowed(
  rig: Rig,
  agent: string,
  tool = 'echo',
  server = 'one',
): Promise<boolean> {
  const asked = { server, tool, args: { text: 'hello' } }
  return (await rig.call('execute_tool', asked, { agent, surface: 'discover' })).includes('hello')
}

/** Calls the only operation of the API `api`. */
export async function callApi(rig: Rig): Promise<string> {
  const asked = { server: 'api', tool: 'things', args: {} }
  return rig.call('execute_tool', asked, { agent: 'ada', surface: 'discover' })
}
