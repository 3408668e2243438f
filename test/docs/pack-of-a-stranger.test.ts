import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { parseDocument } from './document.ts'

const ROOT = join(import.meta.dirname, '../..')

it('who follows the recipe of a pack has tools that an agent can call', async () => {
  const [, guide = ''] =
    /^\*\*A pack\.\*\*.*?\]\(([^)#]+)/m.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')) ??
    []
  const folder = tempFolder()
  for (const step of parseDocument(readFileSync(join(ROOT, guide), 'utf8')).steps)
    if (step.kind === 'file') folder.write(step.path, step.content)
  folder.write('apis/pets/openapi.yaml', folder.read('openapi.yaml'))
  expect((await runCli(folder, ['trust'])).code).toBe(0)

  const env = Object.entries(gatewayEnv(folder)).map(([name, value]) => [name, value ?? ''])
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'api', 'pets', '--demo'],
    cwd: folder.path,
    env: Object.fromEntries(env),
    stderr: 'ignore',
  })
  await client.connect(transport)
  onTestFinished(async () => client.close())
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['find_pets', 'count_pets']))
  const call = async (status: string) =>
    client.callTool({ name: 'count_pets', arguments: { status } })
  expect(await call('available')).toMatchObject({
    structuredContent: { status: 'available', count: 2 },
  })
  expect(await call('lost')).toMatchObject({
    isError: true,
    structuredContent: {
      error: {
        code: 'HTTP_404',
        message: 'Nobody counts lost pets',
        where: { server: 'pets', tool: 'count_pets', http_status: 404 },
      },
    },
  })
})
