import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gatewayEnv } from './support/gateway.ts'
import { runProgram } from './support/run-program.ts'
import { type TempFolder, tempFolder } from './support/temp-folder.ts'

const TSX = import.meta.resolve('tsx')
const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
/** Adds one file, support/toy/toy.ts, with one line in the list. */
const WITH_TOY = join(import.meta.dirname, 'support/toy/register.mjs')

function program(...args: readonly string[]): string[] {
  return ['--import', TSX, '--import', WITH_TOY, MAIN, ...args]
}

/** A client of the program, over stdio. */
async function connect(folder: TempFolder, ...args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const env = Object.fromEntries(
    Object.entries(gatewayEnv(folder)).map(([name, value]) => [name, String(value)]),
  )
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: program(...args),
      cwd: folder.path,
      env,
      stderr: 'ignore',
    }),
  )
  onTestFinished(async () => client.close())
  return client
}

async function textOf(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<string> {
  return JSON.stringify((await client.callTool({ name, arguments: args })).content)
}

async function greeting(client: Client): Promise<string> {
  return textOf(client, 'execute_tool', { server: 'toy', tool: 'greet', args: { name: 'Ada' } })
}

describe('a built-in that is one file and one line in the list', () => {
  it('is a server of the gateway, by its entry in .mcp.json', async () => {
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { greeter: { builtin: 'toy', greeting: 'Welcome' } } })
    const client = await connect(folder)
    expect(await textOf(client, 'list_servers', {})).toContain('greeter')
    const call = { server: 'greeter', tool: 'greet', args: { name: 'Ada' } }
    expect(await textOf(client, 'execute_tool', call)).toContain('Welcome Ada')
  })

  it('is a server of the gateway, by the settings', async () => {
    const folder = tempFolder()
    folder.write('portolan.yaml', 'builtins: { code: false, knowledge: false, traces: false }\n')
    const client = await connect(folder)
    const servers = await textOf(client, 'list_servers', {})
    expect(servers).toContain('Greets whoever asks')
    expect(servers).not.toContain('Documents of the team')
    const call = { server: 'toy', tool: 'greet', args: { name: 'Ada' } }
    expect(await textOf(client, 'execute_tool', call)).toContain('Hello Ada')
    folder.write('portolan.yaml', 'builtins: { toy: false, code: true }\n')
    const without = await connect(folder)
    expect(await textOf(without, 'list_servers', {})).not.toContain('Greets whoever asks')
  })

  it('has a section of the settings, which a variable overrides and a reload applies', async () => {
    const folder = tempFolder()
    folder.write('portolan.yaml', 'toy: { greeting: Good day }\n')
    const client = await connect(folder)
    expect(await greeting(client)).toContain('Good day Ada')
    folder.write('portolan.yaml', 'toy: { greeting: Good night }\n')
    await expect.poll(async () => greeting(client)).toContain('Good night Ada')

    const options = {
      cwd: folder.path,
      env: { ...gatewayEnv(folder), PORTOLAN_TOY_GREETING: 'Ahoy' },
    }
    const call = await runProgram(
      process.execPath,
      program('call', 'toy.greet', '{"name":"Ada"}'),
      options,
    )
    expect(call.stdout).toContain('Ahoy Ada')
    folder.write('portolan.yaml', 'toy: { greetin: Hi }\n')
    const check = await runProgram(process.execPath, program('check'), options)
    expect(check.code).toBe(1)
    expect(check.stdout + check.stderr).toMatch(/unknown key "greetin".*greeting/s)
  })

  it('has its place in the reference', async () => {
    const script = join(import.meta.dirname, '../scripts/config-reference.ts')
    const print = `import(${JSON.stringify(script)}).then((m) => console.log(m.configReference()))`
    const loaders = ['--import', TSX, '--import', WITH_TOY]
    const options = { cwd: import.meta.dirname, env: process.env }
    const { stdout } = await runProgram(process.execPath, [...loaders, '-e', print], options)
    expect(stdout).toMatch(/`toy.greeting` +\|.*greets with.*PORTOLAN_TOY_GREETING/)
  })

  it('runs by itself', async () => {
    const client = await connect(tempFolder(), 'toy', 'mcp')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['greet'])
    expect(await textOf(client, 'greet', { name: 'Ada' })).toContain('Ada')
  })

  it('has its commands', async () => {
    const folder = tempFolder()
    const options = { cwd: folder.path, env: gatewayEnv(folder) }
    const help = await runProgram(process.execPath, program('--help'), options)
    expect(help.stdout).toContain('Greets whoever asks')
    const greeted = await runProgram(process.execPath, program('toy', 'greet', 'Ada'), options)
    expect(greeted.stdout).toBe('Hello Ada\n')
    const mcp = await runProgram(process.execPath, program('toy', 'mcp', '--help'), options)
    expect(mcp.stdout).toContain('TOY_PORT')
  })

  it('is unknown without its line', async () => {
    const folder = tempFolder()
    const options = { cwd: folder.path, env: gatewayEnv(folder) }
    const { code, stderr } = await runProgram(
      process.execPath,
      ['--import', TSX, MAIN, 'toy', 'greet', 'Ada'],
      options,
    )
    expect(code).toBe(1)
    expect(stderr).toContain("There is no command 'toy'")
  })
})
