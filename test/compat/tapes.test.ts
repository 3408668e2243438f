import { copyFileSync } from 'node:fs'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { needBubblewrap } from '../support/bubblewrap.ts'
import { openSdkV1 } from '../support/clients/sdk-v1.ts'
import { openSdkV2 } from '../support/clients/sdk-v2.ts'
import type { Session } from '../support/clients/session.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { install } from './install.ts'
import { FOLDER, INSTALLED, type Published, SERVERS, type Step } from './servers.ts'

const MORE = ['@eslint/mcp', '@antv/mcp-server-chart']
const CHOSEN = [...INSTALLED, ...SERVERS.filter(({ name }) => MORE.includes(name))]
const LISTS = ['tools', 'prompts', 'resources', 'resources/templates']

describe('tapes of published servers', { timeout: 300_000 }, () => {
  it('are of ten', () => expect(CHOSEN).toHaveLength(10))

  it.each(CHOSEN.map((server) => [server.name, server] as const))(
    '%s: official clients of both eras get the same texts, with no server and no network',
    async (_, server) => {
      await needBubblewrap()
      const folder = tempFolder()
      const fill = (text: string) => text.replaceAll(FOLDER, folder.path)
      const entry = JSON.parse(
        fill(
          JSON.stringify({
            command: process.execPath,
            args: [await install(server), ...(server.args ?? [])],
            env: server.env ?? {},
          }),
        ),
      )
      const recorded = await openGateway({
        folder,
        servers: { it: entry },
        settings: { deadlines: { connectMs: 60_000 } },
        args: ['record', 'tape.jsonl'],
      })
      const url = new URL(`${recorded.url}/mcp?surface=direct`)
      const story = storyOf(server, fill)
      const before = [
        await textsOf(await openSdkV1(new HttpV1(url)), story),
        await textsOf(await openSdkV2('modern', new StreamableHTTPClientTransport(url)), story),
      ]
      await recorded.close()
      // Neither the servers file nor the program is there any more.
      const elsewhere = tempFolder()
      copyFileSync(folder.file('tape.jsonl'), elsewhere.file('tape.jsonl'))
      const program = withoutNetwork(elsewhere)
      const after = [
        await textsOf(await openSdkV1(new StdioV1({ ...program, stderr: 'inherit' })), story),
        await textsOf(await openSdkV2('modern', new StdioClientTransport(program)), story),
      ]
      expect(after).toEqual(before.map((texts) => texts.map(hidden)))
    },
  )
})

/** Nothing differs but the key of the entry, which some servers repeat. */
const hidden = (text: string) => text.replaceAll('not-a-real-key', '[redacted]')

/** A replay over stdio in a network namespace of its own, where nothing can be reached. */
function withoutNetwork(folder: TempFolder) {
  const words = ['replay', 'tape.jsonl', '--', process.execPath, MAIN, '--surface', 'direct']
  const sandbox = '--dev-bind / / --unshare-net --unshare-pid --proc /proc --die-with-parent --'
  const { PATH = '', ...env } = gatewayEnv(folder)
  return {
    command: 'bwrap',
    args: [...sandbox.split(' '), process.execPath, MAIN, ...words],
    env: { ...env, PATH },
    cwd: folder.path,
  }
}

/** All that a client gets, as the text of what its library returned. */
async function textsOf(client: Session, story: (tools: JsonObject[]) => readonly Step[]) {
  const ask = async (method: string, params: JsonObject = {}) =>
    JSON.stringify(
      await client.request(method, params).catch((error: unknown) => ({ error: String(error) })),
    )
  await expect.poll(async () => ask('tools/list'), { timeout: 60_000 }).toContain('"name"')
  const texts: string[] = []
  for (const list of LISTS) texts.push(await ask(`${list}/list`))
  const { tools }: { tools: JsonObject[] } = JSON.parse(texts[0] ?? '')
  for (const { tool, args } of story(tools))
    texts.push(await ask('tools/call', { name: tool, arguments: args }))
  await client.close()
  return texts
}

/** Its story, or its first three tools with any values. */
function storyOf({ story }: Published, fill: (text: string) => string) {
  return (tools: readonly JsonObject[]): readonly Step[] => {
    if (story) return JSON.parse(fill(JSON.stringify(story)))
    return tools.slice(0, 3).map(({ name, inputSchema }) => {
      const schema = isObject(inputSchema) ? inputSchema : {}
      const properties = isObject(schema['properties']) ? schema['properties'] : {}
      const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
      const args = Object.fromEntries(required.map((key) => [key, valueOf(properties[key])]))
      return { tool: String(name), args }
    })
  }
}

function valueOf(schema: unknown): unknown {
  const { type, enum: choices } = isObject(schema) ? schema : {}
  if (Array.isArray(choices)) return choices[0]
  if (type === 'number' || type === 'integer') return 1
  return type === 'array' ? [] : type === 'object' ? {} : type === 'boolean' ? true : 'x'
}
