import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { launchOf } from '../connect/launch.ts'
import { SAMPLE_PROJECT } from './sample-project.ts'
import { shopSpec } from './shop-api.ts'

/** Writes everything the tour needs: the three files of Portolan, an API's description, a project. */
export function writeDemo(folder: string, apiUrl: string): void {
  const { command, args } = launchOf(process)
  // What a sample keeps of its own must not be mixed with what the gateway keeps.
  const env = { PORTOLAN_HOME: join(folder, 'samples') }
  const sample = (name: string, description: string) => ({
    command,
    args: [...args, 'demo-server', name],
    env,
    description,
  })
  write(folder, '.mcp.json', {
    mcpServers: {
      tickets: sample('tickets', 'Tickets of the web shop'),
      calendar: sample('calendar', 'Meetings of the team'),
      shop: { openapi: './shop.json', allowPrivate: true, description: 'Orders, from a REST API' },
      code: { builtin: 'code', description: 'Search in the code of the shop' },
    },
  })
  write(folder, '.mcp-gateway-rules.json', {
    agents: {
      ada: { allow: { servers: ['*'] } },
      intern: {
        allow: { servers: ['tickets', 'shop'] },
        deny: { tools: { tickets: ['delete_*'] } },
      },
    },
  })
  write(folder, 'shop.json', shopSpec(apiUrl))
  for (const [path, text] of Object.entries(SAMPLE_PROJECT)) write(folder, `project/${path}`, text)
}

function write(folder: string, name: string, content: unknown): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}
