import type { JsonObject } from '../../../protocol/json-rpc.ts'
import { VERSION } from '../../../protocol/version.ts'
import type { CodeSession, SessionOptions } from './code-session.ts'
import { parsePathPrefix } from './path-prefix.ts'
import { projectOfUser } from './project-of-user.ts'
import { wrongUsage } from './wrong-usage.ts'

/** Indexing may take its time, as long as something is heard of it. */
const SILENCE_MS = 120_000

type Environment = Readonly<Record<string, string | undefined>>

/** The tools of a server elsewhere (`COCOSEARCH_SERVER_URL`), for the project we are in. */
export async function openRemoteSession(
  url: string,
  { progress = () => undefined }: SessionOptions,
  env: Environment,
): Promise<CodeSession> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const prefix = parsePathPrefix(env['COCOSEARCH_PATH_PREFIX'])
  const project = prefix.toServer(projectOfUser(env).path)
  const client = new Client({ name: 'portolan-code', version: VERSION })
  const key = env['PORTOLAN_KEY']
  try {
    await client.connect(
      new StreamableHTTPClientTransport(
        addressOf(url, project),
        key ? { requestInit: { headers: { authorization: `Bearer ${key}` } } } : {},
      ),
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw wrongUsage(
      `The code server at ${url} (COCOSEARCH_SERVER_URL) does not answer: ${reason}`,
      error,
    )
  }
  const { tools } = await client.listTools()
  /** Behind a gateway with other servers its tools have the server's name in front. */
  const nameOf = (tool: string): string =>
    tools.find(({ name }) => name === tool || name.endsWith(`__${tool}`))?.name ?? tool
  return {
    async call(tool: string, args: JsonObject): Promise<unknown> {
      const path: unknown = args['path']
      const given = typeof path === 'string' ? { ...args, path: prefix.toServer(path) } : args
      const { content, isError } = await client.callTool(
        { name: nameOf(tool), arguments: given },
        {
          timeout: SILENCE_MS,
          resetTimeoutOnProgress: true,
          onprogress: ({ progress: done, total }) =>
            progress({ progress: done, ...(total !== undefined && { total }) }),
        },
      )
      const [block] = content
      const text = block?.type === 'text' ? block.text : ''
      if (isError) throw wrongUsage(text)
      return prefix.fromServer(JSON.parse(text))
    },
    close: async () => client.close(),
  }
}

function addressOf(url: string, project: string): URL {
  const address = new URL(url)
  if (address.pathname === '/') address.pathname = '/mcp'
  address.searchParams.set('surface', 'direct')
  address.searchParams.set('project_path', project)
  return address
}
