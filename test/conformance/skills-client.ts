/**
 * A client of the suite that is the gateway: it stands before the server whose URL the suite gives, and
 * a plain client behind it lists the skills and reads each file as long as none is refused.
 */
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { openGateway } from '../support/open-gateway.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const undo: (() => void | Promise<void>)[] = []
try {
  const gateway = await openGateway({
    servers: { suite: { url } },
    later: (step) => void undo.unshift(step),
  })
  const client = await gateway.connect({ era: 'modern', query: '' })
  const { skills } = await client.request('skills/list')
  const entries: unknown[] = Array.isArray(skills) ? skills : []
  if (entries.length === 0) throw new Error('no skills')
  if (!scenario.endsWith('no-prefetch'))
    for (const skill of entries.filter(isObject))
      for (const uri of urisOf(skill)) await client.request('resources/read', { uri })
} finally {
  for (const step of undo) await step()
}

function urisOf({ resources }: JsonObject): string[] {
  return Array.isArray(resources) ? resources.map((file: { uri: string }) => file.uri) : []
}
