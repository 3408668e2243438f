import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js')

/** Returns how many tools the official client gets from the stand-alone server, or why none. */
export async function listThroughClient(file: string): Promise<number | string> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'api', file, '--base-url', 'http://localhost'],
    stderr: 'ignore',
  })
  const client = new Client({ name: 'bench', version: '1' })
  try {
    await client.connect(transport)
    let count = 0
    let cursor: string | undefined
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor })
      count += page.tools.length
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return count
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return `refused: ${message.slice(0, 60)}`
  } finally {
    await client.close()
  }
}
