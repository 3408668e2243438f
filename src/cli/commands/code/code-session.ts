import type { JsonObject } from '../../../protocol/json-rpc.ts'
import type { ProgressUpdate } from '../../../protocol/service.ts'
import { projectOfUser } from './project-of-user.ts'
import { wrongUsage } from './wrong-usage.ts'

/** The code server, used by one command and then closed. */
export interface CodeSession {
  call(tool: string, args: JsonObject): Promise<unknown>
  close(): Promise<void>
}

export interface SessionOptions {
  readonly progress?: (update: ProgressUpdate) => void
}

/** Here, or where `COCOSEARCH_SERVER_URL` says. */
export async function openCodeSession(options: SessionOptions = {}): Promise<CodeSession> {
  const url = process.env['COCOSEARCH_SERVER_URL']
  if (!url) return openLocalSession(options)
  return (await import('./remote-session.ts')).openRemoteSession(url, options, process.env)
}

async function openLocalSession({
  progress = () => undefined,
}: SessionOptions): Promise<CodeSession> {
  const { createLocalCodeService } = await import('../../../servers/code/create-code-service.ts')
  const service = createLocalCodeService({ background: false, freshnessBudgetMs: 2_000 })
  const cancel = new AbortController()
  const interrupt = (): void => cancel.abort(new Error('Interrupted'))
  process.once('SIGINT', interrupt)
  return {
    async call(tool, args) {
      const result = await service.handle(
        'tools/call',
        { name: tool, arguments: args },
        {
          signal: cancel.signal,
          agent: undefined,
          headers: {},
          project: async () => projectOfUser(),
          progress,
        },
      )
      const content: unknown = result['content']
      const text = Array.isArray(content) ? String(content[0]?.text) : ''
      if (result['isError']) throw wrongUsage(text)
      return JSON.parse(text)
    },
    async close() {
      process.removeListener('SIGINT', interrupt)
      await service.close()
    },
  }
}
