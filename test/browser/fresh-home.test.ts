import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { parse as parseToml } from 'smol-toml'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { launchChromium } from '../support/chromium.ts'
import { openPage } from '../support/dashboard/a-page.ts'
import { MAIN } from '../support/gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

// A server starts for each client to be counted, and four clients, a gateway and a browser.
vi.setConfig({ testTimeout: 120_000 })

/** The entry that a client starts: a command with its arguments, or both in one list. */
const entrySchema = z.union([
  z.object({ command: z.string(), args: z.array(z.string()) }),
  z
    .object({ command: z.tuple([z.string()], z.string()) })
    .transform(({ command: [command, ...args] }) => ({ command, args })),
])
const fileSchema = z.union([
  z.object({ mcpServers: z.record(z.string(), entrySchema) }).transform((file) => file.mcpServers),
  z
    .object({ mcp_servers: z.record(z.string(), entrySchema) })
    .transform((file) => file.mcp_servers),
  z.object({ mcp: z.record(z.string(), entrySchema) }).transform((file) => file.mcp),
])

const UPSTREAM = stdioUpstream()

/** Each client with the name that it sends, its own file, and the agent that it is shown as. */
const CLIENTS = [
  {
    name: 'claude-code',
    agent: 'claude-code',
    file: '.claude.json',
    content: { mcpServers: { one: UPSTREAM } },
  },
  {
    name: 'codex-mcp-client',
    agent: 'codex',
    file: '.codex/config.toml',
    content: `[mcp_servers.one]\ncommand = ${JSON.stringify(UPSTREAM.command)}\nargs = ${JSON.stringify(UPSTREAM.args)}\n`,
  },
  {
    name: 'gemini-cli-mcp-client',
    agent: 'gemini',
    file: '.gemini/settings.json',
    content: { mcpServers: { one: UPSTREAM } },
  },
  {
    name: 'opencode',
    agent: 'opencode',
    file: '.config/opencode/opencode.json',
    content: { mcp: { one: { type: 'local', command: [UPSTREAM.command, ...UPSTREAM.args] } } },
  },
]

/** A home in which Portolan was never used. */
function freshHome() {
  const home = tempFolder()
  home.write('shop/README.md', '# A shop\n')
  for (const { file, content } of CLIENTS) home.write(file, content)
  const cwd = home.file('shop')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home.path,
    // The folder of the socket must not depend on the machine.
    XDG_RUNTIME_DIR: home.path,
  }
  const portolan = async (...args: string[]) =>
    runProgram(process.execPath, [MAIN, ...args], { cwd, env })
  onTestFinished(async () => void (await portolan('stop')))

  /** Starts what the client's file says now, as the client does. */
  async function open({ file, name }: (typeof CLIENTS)[number]) {
    const text = home.read(file)
    const content: unknown = file.endsWith('.toml') ? parseToml(text) : JSON.parse(text)
    const entries = fileSchema.parse(content)
    expect(Object.keys(entries)).toEqual(['portolan'])
    const entry = entrySchema.parse(entries['portolan'])
    const client = new Client({ name, version: '1' })
    await client.connect(new StdioClientTransport({ ...entry, cwd, env, stderr: 'ignore' }))
    onTestFinished(async () => client.close())
    return client
  }
  return { ...home, portolan, open }
}

it('a new user adopts four clients, each calls once, and the page shows four agents', async () => {
  const home = freshHome()
  const adopted = await home.portolan('adopt', '--yes')
  expect(adopted).toMatchObject({ code: 0, stderr: '' })
  for (const client of CLIENTS) {
    const result = await (
      await home.open(client)
    ).callTool({
      name: 'execute_tool',
      arguments: { server: 'one', tool: 'echo', args: { text: `from ${client.name}` } },
    })
    expect(JSON.stringify(result.content)).toContain(`from ${client.name}`)
  }
  expect(home.read('.portolan/gateway.log').match(/the gateway listens/g)).toHaveLength(1)

  const { stdout } = await home.portolan('dashboard', '--no-browser')
  const browser = await launchChromium()
  onTestFinished(async () => browser.close())
  const { page, complaints } = await openPage(browser)
  await page.goto(stdout.trim())
  await page.locator('.who', { hasText: 'Admin' }).waitFor()
  await page.getByRole('link', { name: 'Agents' }).click()
  const agents = page.getByLabel('Agents', { exact: true }).locator('tbody .row-link')
  await agents.first().waitFor()
  await page.getByText('4 agents', { exact: true }).waitFor()
  expect((await agents.allInnerTexts()).toSorted()).toEqual(CLIENTS.map(({ agent }) => agent))
  await page.getByRole('link', { name: 'Live calls' }).click()
  for (const { agent } of CLIENTS)
    await page.getByRole('row', { name: new RegExp(`${agent}.*echo`) }).waitFor()
  expect(complaints).toEqual([])
})
