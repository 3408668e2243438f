import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../base/errors.ts'
import { proxyFetch } from '../../base/net/proxy.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { useModelBytes } from '../../search/embed/static/model-bytes.ts'
import type { FromThread, ThreadSettings, ToThread } from './code-thread.ts'
import { createLocalCodeService } from './create-code-service.ts'

const port = parentPort
if (!port) throw new Error('code-worker runs only as a worker thread')

// The thread that started this one built this object as ThreadSettings.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const settings = workerData as ThreadSettings
useModelBytes(settings.modelBytes)
// The main thread reports a proxy that cannot be used.
await proxyFetch(settings.env).catch(() => undefined)
let dashboardUrl: string | undefined
const service = createLocalCodeService({
  home: settings.home,
  project: settings.project,
  background: true,
  env: settings.env,
  embedding: settings.embedding,
  dashboardUrl: () => dashboardUrl,
  ...(settings.freshnessBudgetMs !== undefined && {
    freshnessBudgetMs: settings.freshnessBudgetMs,
  }),
  ...(settings.autoIndex !== undefined && { autoIndex: settings.autoIndex }),
})
const running = new Map<number, AbortController>()

port.on('message', (message: ToThread) => {
  if (message.type === 'call') void answer(message)
  else if (message.type === 'abort') {
    running.get(message.id)?.abort()
    send({ type: 'aborted', id: message.id })
  } else {
    send({ type: 'closing' })
    void service.close().finally(() => send({ type: 'closed' }))
  }
})

async function answer(call: Extract<ToThread, { type: 'call' }>): Promise<void> {
  const { id, method, params, agent, isRemote, project } = call
  if (call.dashboardUrl !== undefined) dashboardUrl = call.dashboardUrl
  const controller = new AbortController()
  running.set(id, controller)
  try {
    const result = await service.handle(method, params, {
      signal: controller.signal,
      agent,
      isRemote,
      headers: {},
      project: async () => {
        if (project) return project
        throw new Error('Where you work could not be found out')
      },
      progress: (update) => send({ type: 'progress', id, update }),
    })
    send({ type: 'result', id, result })
  } catch (error) {
    const message = messageOf(error)
    send({
      type: 'failure',
      id,
      message,
      ...(error instanceof RpcError && { rpc: error.toFailure() }),
    })
  } finally {
    running.delete(id)
  }
}

function send(message: FromThread): void {
  port?.postMessage(message)
}
