import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server'
import { SkillsExtension, memorySkillFiles } from '@modelcontextprotocol/server/ext/skills'
import { onTestFinished } from 'vitest'
import type { Later } from '../temp-folder.ts'

export interface SkillServer {
  readonly url: string
  /** Its skill files, by path; changes are served at once, but described only after `reload`. */
  readonly files: Record<string, string>
  readonly reload: () => Promise<void>
}

export function aSkill(name: string, description: string, body = 'Do it.'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`
}

/** A server with skills, made with the official SDK. */
export async function startSkillServer(
  files: Record<string, string>,
  later: Later = onTestFinished,
): Promise<SkillServer> {
  const skills = await SkillsExtension.load(memorySkillFiles(files))
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'skills', version: '1.0.0' })
    server.registerTool('ping', { description: 'Answers' }, () => ({
      content: [{ type: 'text', text: 'pong' }],
    }))
    skills.attach(server)
    return server
  })
  const answer = toNodeHandler(handler)
  const http = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request
    void answer(Object.assign(request, { method, url }), response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  later(async () => {
    http.close()
    http.closeAllConnections()
  })
  const address = http.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    files,
    reload: async () => void (await skills.reload()),
  }
}
