import { messageOf } from '../../../base/errors.ts'
import type { Environment } from '../../../base/environment.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { RpcError } from '../../../protocol/json-rpc.ts'
import { askEndpoint } from '../../shared/ask/ask-endpoint.ts'
import { resultText } from '../../shared/ask/result-text.ts'
import { projectOfUser } from '../project-of-user.ts'
import { wrongUsage } from '../wrong-usage.ts'
import type { CodeSession, SessionOptions } from './code-session.ts'

/** Calls the tools of a remote server (`PORTOLAN_CODE_SERVER_URL`) for the current project. */
export function openRemoteSession(
  server: string,
  { progress = () => undefined }: SessionOptions,
  env: Environment,
): CodeSession {
  const prefix = parsePathPrefix(env['PORTOLAN_CODE_PATH_PREFIX'])
  const url = new URL('/mcp', server)
  url.searchParams.set('project_path', prefix.toServer(projectOfUser(env).path))

  async function call(name: string, args: JsonObject): Promise<unknown> {
    const params = { name, arguments: args }
    const key = env['PORTOLAN_KEY'] || undefined
    const question = { method: 'tools/call', params, agent: undefined, key }
    const result = await askEndpoint(url, question).catch((error: unknown) => {
      if (error instanceof RpcError) throw error
      const message = `The code server at ${server} (PORTOLAN_CODE_SERVER_URL) does not answer: ${messageOf(error)}`
      throw wrongUsage(message, error)
    })
    if (result['isError'] === true) throw wrongUsage(resultText(result))
    const answer = isObject(result['structuredContent']) ? result['structuredContent'] : {}
    return prefix.fromServer(Array.isArray(answer['result']) ? answer['result'] : answer)
  }

  return {
    call,
    /** Asks until a large folder is indexed, as each answer waits only for a time. */
    async index({ path, index_name, include_patterns, exclude_patterns, no_gitignore, fresh }) {
      if (include_patterns?.length || exclude_patterns?.length || no_gitignore || fresh)
        throw wrongUsage(
          'A server decides by its own settings what to index: leave out --include, --exclude, --no-gitignore and --fresh, or unset PORTOLAN_CODE_SERVER_URL',
        )
      for (;;) {
        const answer = await call('index_codebase', { path: prefix.toServer(path), index_name })
        if (!isObject(answer) || answer['status'] !== 'indexing') return answer
        progress({ progress: Number(answer['files_indexed']) })
      }
    },
    close: async () => undefined,
  }
}

/** `PORTOLAN_CODE_PATH_PREFIX=/here:/there`: the path of one folder here and on the server. */
interface PathPrefix {
  toServer(path: string): string
  /** Translates every path in an answer to this machine. */
  fromServer(answer: unknown): unknown
}

const SAME: PathPrefix = { toServer: (path) => path, fromServer: (answer) => answer }

export function parsePathPrefix(text: string | undefined): PathPrefix {
  if (text === undefined || text === '') return SAME
  const [here = '', there = '', ...rest] = text.split(':')
  if (!here.startsWith('/') || !there.startsWith('/') || rest.length > 0)
    throw wrongUsage(
      `PORTOLAN_CODE_PATH_PREFIX must be /path/here:/path/on/the/server, not '${text}'`,
    )
  const fromServer = (answer: unknown): unknown => {
    if (typeof answer === 'string') return replaced(answer, there, here)
    if (Array.isArray(answer)) return answer.map(fromServer)
    if (typeof answer !== 'object' || answer === null) return answer
    return Object.fromEntries(
      Object.entries(answer).map(([key, value]) => [key, fromServer(value)]),
    )
  }
  return { toServer: (path) => replaced(path, here, there), fromServer }
}

function replaced(path: string, from: string, to: string): string {
  const isInside = path === from || path.startsWith(from.endsWith('/') ? from : `${from}/`)
  return isInside ? to + path.slice(from.length) : path
}
