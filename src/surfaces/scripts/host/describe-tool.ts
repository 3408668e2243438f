import { isForModels } from '../../../gateway/tools/app-tools.ts'
import { didYouMean } from '../../../base/text/nearest.ts'
import type { Agent } from '../../../gateway/call.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { type Tool } from '../../../gateway/upstream.ts'
import { type World, permittedServers, permittedTools } from '../../world.ts'
import { typeOf } from './type-of.ts'
import { shownName } from '../../../gateway/tools/tool-ref.ts'

/** The most tools of a server that are listed. */
const MAX_TOOLS = 100

/**
 * Answers `describe(name)`: the signature of a tool in TypeScript, with the type of its result if
 * the server declares one, or the signatures of all tools of a server.
 */
export function describeByName(name: string, agent: Agent, world: World): string {
  const servers = permittedServers(world, agent)
  const server = servers.find((each) => each.name === name)
  if (server) {
    const tools = permittedTools(world, agent, server).filter(isForModels)
    const rest = tools.length > MAX_TOOLS ? `\n… ${tools.length - MAX_TOOLS} more` : ''
    return tools.slice(0, MAX_TOOLS).map(signatureOf).join('\n') + rest
  }
  const tool = world.catalog.resolve(name)?.tool
  if (tool && world.policy.tool(agent, tool.server, tool.name).effect === 'allow')
    return `/** ${describeText(tool)} */\n${signatureOf(tool)}`
  const known = servers.flatMap((each) =>
    permittedTools(world, agent, each)
      .filter(isForModels)
      .map((one) => `${each.name}.${shownName(one)}`),
  )
  throw new GatewayError('TOOL_NOT_FOUND', `There is no tool or server '${name}'`, {
    hint:
      didYouMean(name, [...known, ...servers.map((each) => each.name)]) ??
      'find(query) searches for tools by what they do.',
  })
}

function signatureOf(tool: Tool): string {
  const { server, definition } = tool
  const args = typeOf(definition['inputSchema'])
  const result =
    definition['outputSchema'] === undefined ? 'unknown' : typeOf(definition['outputSchema'])
  return `tools${member(server)}${member(shownName(tool))}(args: ${args}): Promise<${result}>`
}

function member(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

function describeText({ definition }: Tool): string {
  const { description } = definition
  return typeof description === 'string' ? description.trim().replaceAll('*/', '* /') : ''
}
