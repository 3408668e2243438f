/**
 * A client of the suite that is the gateway: it stands before the server whose URL the suite gives, and
 * a plain client behind it lists the skills and reads each file as long as none is refused.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { openHttp } from '../support/clients/wires.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'portolan-skills-client-'))
const config = join(folder, '.mcp.json')
writeFileSync(config, JSON.stringify({ mcpServers: { suite: { url } } }))
const gateway = spawn(
  process.execPath,
  [join(import.meta.dirname, '../../dist/cli/main.js'), 'serve', '--port', '0'],
  {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      PORTOLAN_HOME: folder,
      GATEWAY_MCP_CONFIG: config,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  },
)
try {
  const address = await new Promise<string>((resolve) => {
    createInterface({ input: gateway.stderr }).on('line', (line) => {
      const found = /^portolan listening on (\S+)/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const client = await openHttp('modern', `${address}/mcp`)
  const { skills } = await client.request('skills/list')
  const entries: unknown[] = Array.isArray(skills) ? skills : []
  if (entries.length === 0) throw new Error('no skills')
  if (!scenario.endsWith('no-prefetch'))
    for (const skill of entries.filter(isObject))
      for (const uri of urisOf(skill)) await client.request('resources/read', { uri })
  await client.close()
} finally {
  gateway.kill()
  rmSync(folder, { recursive: true, force: true })
}

function urisOf({ resources }: JsonObject): string[] {
  return Array.isArray(resources) ? resources.map((file: { uri: string }) => file.uri) : []
}
