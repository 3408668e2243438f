import { spawn } from 'node:child_process'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { MAIN, gatewayEnv, untilListening } from '../gateway.ts'
import type { TempFolder } from '../temp-folder.ts'

const answer = z.looseObject({
  content: z.array(z.looseObject({ text: z.string() })).min(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
})

/** The answer of a tool: its first text, its structured content, and how long it took. */
export interface Said {
  readonly text: string
  readonly data: Record<string, unknown>
  readonly isError: boolean
  readonly ms: number
}

export interface Door {
  readonly client: Client
  /** The address over HTTP. */
  readonly url: string
  /** What the program has written to stderr so far. */
  readonly log: () => string
  readonly use: (tool: string, args?: Record<string, unknown>) => Promise<Said>
}

/** Starts a program of ours with the variables of an original's document, and a client of it. */
export async function openDoor(
  folder: TempFolder,
  args: readonly string[],
  env: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Door> {
  const all = gatewayEnv(folder, env)
  const client = new Client({ name: 'door', version: '1' })
  let log = ''
  let url = ''
  if ('MCP_TRANSPORT' in env && env['MCP_TRANSPORT'] !== 'stdio') {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder.path,
      env: all,
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
    const started = await untilListening(child)
    onTestFinished(started.close)
    url = started.url
    // What listens for all machines is reached on this one.
    const here = new URL('/mcp', url.replace('0.0.0.0', '127.0.0.1'))
    await client.connect(new StreamableHTTPClientTransport(here, { requestInit: { headers } }))
  } else {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, ...args],
      cwd: folder.path,
      env: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? ''])),
      stderr: 'pipe',
    })
    transport.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
    await client.connect(transport)
  }
  onTestFinished(async () => client.close())
  return {
    client,
    url,
    log: () => log,
    async use(name, given = {}) {
      const started = performance.now()
      const result = answer.parse(await client.callTool({ name, arguments: given }))
      const ms = performance.now() - started
      const text = result.content[0]?.text ?? ''
      const { structuredContent: data = {}, isError = false } = result
      return { text, data, isError, ms }
    },
  }
}
