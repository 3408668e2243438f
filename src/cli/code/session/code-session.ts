import type { JsonObject } from '../../../base/json/json.ts'
import type { ProgressUpdate, ServiceContext } from '../../../protocol/service.ts'
import type { IndexRequest } from '../../../builtins/code/tools/indexing/index-codebase.ts'
import { projectOfUser } from '../project-of-user.ts'
import { wrongUsage } from '../wrong-usage.ts'

/** A connection to the code server that one command uses and closes. */
export interface CodeSession {
  call(tool: string, args: JsonObject): Promise<unknown>
  /** Builds or updates an index; answers as `index_codebase` does. */
  index(request: IndexRequest): Promise<unknown>
  close(): Promise<void>
}

export interface SessionOptions {
  readonly progress?: (update: ProgressUpdate) => void
}

/** Opens a session in this process, or with the server at `PORTOLAN_CODE_SERVER_URL`. */
export async function openCodeSession(options: SessionOptions = {}): Promise<CodeSession> {
  const url = process.env['PORTOLAN_CODE_SERVER_URL']
  if (!url) return openLocalSession(options)
  return (await import('./remote-session.ts')).openRemoteSession(url, options, process.env)
}

async function openLocalSession({
  progress = () => undefined,
}: SessionOptions): Promise<CodeSession> {
  const [{ createLocalCodeService }, { builtinOptionsFrom }] = await Promise.all([
    import('../../../builtins/code/create-code-service.ts'),
    import('../../../app/builtins/builtin-context.ts'),
  ])
  const { env, home } = builtinOptionsFrom('code', process.env)
  const service = createLocalCodeService({
    env: { ...env },
    home,
    background: false,
    freshnessBudgetMs: 2_000,
  })
  const cancel = new AbortController()
  const interrupt = (): void =>
    cancel.abort(wrongUsage('Interrupted: the index on disk is unchanged'))
  process.once('SIGINT', interrupt)
  const context: ServiceContext = {
    signal: cancel.signal,
    agent: undefined,
    isRemote: false,
    headers: {},
    project: async () => projectOfUser(),
    progress,
  }
  return {
    async call(tool, args) {
      const result = await service.handle('tools/call', { name: tool, arguments: args }, context)
      const content: unknown = result['content']
      const text = Array.isArray(content) ? String(content[0]?.text) : ''
      if (result['isError']) throw wrongUsage(text)
      return JSON.parse(text)
    },
    index: async (request) => service.index(request, context),
    async close() {
      process.removeListener('SIGINT', interrupt)
      await service.close()
    },
  }
}
