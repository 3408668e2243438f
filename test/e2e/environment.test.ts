import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { call } from '../support/clients/talk.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

/** Nobody listens there. */
const NOWHERE = '127.0.0.1:9'

/** One tool of each built-in that keeps data, so that every part which reads the environment is opened. */
async function useBuiltins(env: Record<string, string>) {
  const folder = tempFolder()
  const results = await Promise.all([
    runBuilt(folder, ['call', 'execute_tool', callOf('traces', 'list_tags')], env),
    runBuilt(folder, ['call', 'execute_tool', callOf('knowledge', 'knowledge_sources')], env),
  ])
  return { code: Math.max(...results.map(({ code }) => code)), told: JSON.stringify(results) }
}

function callOf(server: string, tool: string): string {
  return JSON.stringify({ server, tool, args: {} })
}

describe("variables of the user's application", () => {
  it('change nothing', async () => {
    const { code, told } = await useBuiltins({
      DATABASE_URL: 'file:./dev.db',
      REDIS_URL: `redis://${NOWHERE}`,
      API_BASE_URL: `http://${NOWHERE}`,
      EMBEDDING_MODEL: 'text-embedding-3-small',
      QDRANT_URL: `http://${NOWHERE}`,
      DEBUG: 'express:*',
      PUBLIC_URL: '/assets',
      READ_TIMEOUT: 'never',
    })
    expect(told).not.toMatch(/error|degraded":true/i)
    expect(code).toBe(0)
  })

  it.each([
    ['PORTOLAN_DATABASE_URL', 'file:./dev.db', 1, /PORTOLAN_DATABASE_URL: it must start with pos/],
    ['PORTOLAN_TRACES_URL', `http://${NOWHERE}`, 0, /No API key/],
    ['PORTOLAN_EMBEDDING_MODEL', 'm', 1, /PORTOLAN_EMBEDDING_MODEL is set, but not where/],
    ['PORTOLAN_TRACES_DEBUG', 'express:*', 1, /PORTOLAN_TRACES_DEBUG/],
    ['PORTOLAN_TRACES_READ_TIMEOUT', 'never', 1, /PORTOLAN_TRACES_READ_TIMEOUT/],
  ])('%s=%s is read instead', async (name, value, exitCode, expected) => {
    const { code, told } = await useBuiltins({ [name]: value })
    expect(told).toMatch(expected)
    expect(code).toBe(exitCode)
  })

  it('are named by doctor with what Portolan reads, and nothing is connected to', async () => {
    const folder = tempFolder()
    const doctor = async (env: Record<string, string>) => {
      const { stdout } = await runBuilt(folder, ['doctor', '--json'], env)
      const { findings }: { findings: { area: string; status: string; message: string }[] } =
        JSON.parse(stdout)
      return findings
    }
    const theirs = await doctor({
      DATABASE_URL: `postgres://${NOWHERE}/app`,
      REDIS_URL: `redis://${NOWHERE}`,
    })
    expect(theirs.filter(({ area }) => area === 'services')).toEqual([
      {
        area: 'services',
        status: 'ok',
        message:
          'Not read, as they belong to your application: DATABASE_URL, REDIS_URL. For Portolan, set PORTOLAN_DATABASE_URL, PORTOLAN_REDIS_URL.',
      },
    ])
    expect(theirs.filter(({ status }) => status === 'fail')).toEqual([])
    const ours = await doctor({
      PORTOLAN_DATABASE_URL: `postgres://${NOWHERE}/app`,
      PORTOLAN_REDIS_URL: `redis://${NOWHERE}`,
    })
    const broken = ours.filter(({ status }) => status === 'fail')
    expect(broken.map(({ area }) => area)).toEqual(expect.arrayContaining(['database', 'redis']))
    expect(JSON.stringify(broken)).not.toContain('portolan.db')
  })

  it('and our own change nothing in the demo', async () => {
    const folder = tempFolder()
    const env = {
      DATABASE_URL: 'file:./dev.db',
      PORTOLAN_DATABASE_URL: `postgres://${NOWHERE}/app`,
      PORTOLAN_REDIS_URL: `redis://${NOWHERE}`,
      PORTOLAN_EMBEDDING_MODEL: 'm',
      MCP_TRANSPORT: 'http',
    }
    const { code, stderr } = await runBuilt(folder, ['demo', '--json'], env)
    expect(stderr).not.toContain('ERROR')
    expect(code).toBe(0)
  })
})

/** The built program with an open stdin that says nothing; `line` resolves with the first that matches. */
function startPortolan(folder: TempFolder, args: readonly string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder.path,
    env: gatewayEnv(folder, env),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  const lines: string[] = []
  return {
    child,
    lines,
    line: async (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        if (!child.stderr) throw new Error('no stderr')
        createInterface({ input: child.stderr }).on('line', (line) => {
          lines.push(line)
          const found = pattern.exec(line)?.[1]
          if (found !== undefined) resolve(found)
        })
        child.once('exit', (code) =>
          reject(new Error(`it ended with ${String(code)}: ${lines.join('\n')}`)),
        )
      }),
  }
}

/** What every client of 2025 says first. */
const INTRODUCTION = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a-client', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('')

describe('portolan without a command', () => {
  it.each(['GATEWAY_TRANSPORT', 'MCP_TRANSPORT', 'PORTOLAN_LISTEN_TRANSPORT'])(
    '%s=http serves HTTP, =stdio does not',
    async (name) => {
      const folder = tempFolder()
      const env = { PORTOLAN_LISTEN_PORT: '0' }
      const started = startPortolan(folder, [], { ...env, [name]: 'http' })
      started.child.stdin?.end()
      const url = await started.line(/^portolan listening on (\S+)/)
      expect((await fetch(`${url}/health`)).status).toBe(200)

      const { code, stderr } = await runBuilt(folder, [], { ...env, [name]: 'stdio' })
      expect(stderr).not.toContain('listening')
      expect(code).toBe(0)
    },
  )

  it.each(['GATEWAY_INIT_STRATEGY', 'PORTOLAN_UPSTREAMS_START'])(
    '%s=eager starts servers once the client has introduced itself, =lazy does not',
    async (name) => {
      const [lazy, eager] = ['lazy', 'eager'].map((value) => {
        const folder = tempFolder()
        const marker = folder.file('started')
        const script = `fs.writeFileSync(${JSON.stringify(marker)}, ''); setInterval(() => {}, 1000)`
        folder.write('.mcp.json', {
          mcpServers: { one: { command: process.execPath, args: ['-e', script] } },
        })
        const { child } = startPortolan(folder, [], { [name]: value })
        child.stdin?.write(INTRODUCTION)
        return marker
      })
      await expect.poll(() => existsSync(eager ?? '')).toBe(true)
      expect(existsSync(lazy ?? '')).toBe(false)
    },
  )

  it('a client that connects starts nothing, and one that looks for tools only what it may use', async () => {
    const folder = tempFolder()
    const gateway = await openGateway({
      servers: { used: marking(folder, 'used'), unused: marking(folder, 'unused') },
      rules: { agents: { ada: { allow: { servers: ['used'] } } } },
      folder,
    })
    const client = await gateway.connect({ headers: { 'x-agent-id': 'ada' }, query: '' })
    await client.request('tools/list')
    expect(existsSync(folder.file('used'))).toBe(false)
    await call(client, 'find_tools', { query: 'anything' })
    expect(existsSync(folder.file('used'))).toBe(true)
    expect(existsSync(folder.file('unused'))).toBe(false)
  })

  it('eager leaves out what no agent may use', async () => {
    const folder = tempFolder()
    await openGateway({
      servers: { unused: marking(folder, 'unused'), used: marking(folder, 'used') },
      rules: { agents: { ada: { allow: { servers: ['used'] } } } },
      settings: { upstreams: { start: 'eager' } },
      folder,
    })
    await expect.poll(() => existsSync(folder.file('used'))).toBe(true)
    expect(existsSync(folder.file('unused'))).toBe(false)
  })
})

/** A server that leaves a file when it starts, and never answers. */
function marking(folder: TempFolder, name: string) {
  const script = `fs.writeFileSync(${JSON.stringify(folder.file(name))}, ''); setInterval(() => {}, 1000)`
  return { command: process.execPath, args: ['-e', script] }
}
