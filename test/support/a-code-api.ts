import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, onTestFinished, vi } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { OPERATE } from '../../src/protocol/operate.ts'
import { createCodeApi } from '../../src/builtins/code/http/create-code-api.ts'
import type { Visit } from '../../src/builtins/code/http/visit.ts'
import { CodeLog } from '../../src/builtins/code/log/code-log.ts'
import { SHOP, aCodeClient, aContext, aProject } from './code-project.ts'

export interface ApiAnswer {
  readonly status: number
  readonly body: unknown
}

/** The HTTP API of a real code server in this process, called without a socket. */
export function aCodeApi(
  options: {
    readonly files?: Readonly<Record<string, string | Buffer>>
    readonly visitor?: Partial<Pick<Visit, 'role' | 'isLocal'>>
    readonly env?: Readonly<Record<string, string>>
    readonly stop?: () => void
  } = {},
) {
  const { files = SHOP, visitor = {}, env = {}, stop } = options
  const root = aProject({ ...files, 'cocosearch.yaml': 'indexName: shop\n' })
  const client = aCodeClient(root, { env: { ...env } })
  const { service } = client
  const visit: Visit = {
    role: 'admin',
    isLocal: true,
    ...visitor,
    permit: async () => undefined,
    tool: async (name, args) =>
      structured(await service.handle('tools/call', { name, arguments: args }, aContext(root))),
    operate: async ({ name }, request = {}, { signal, onProgress } = {}) =>
      structured(
        await service.handle(
          OPERATE,
          { operation: name, request },
          aContext(root, {
            ...(signal && { signal }),
            ...(onProgress && { progress: (update) => onProgress({ ...update }) }),
          }),
        ),
      ),
  }
  const log = new CodeLog()
  const api = createCodeApi({ visit: async () => visit, log, stop })
  onTestFinished(async () => {
    api.close()
    await client.close()
  })
  const fetch = async (path: string, init?: RequestInit): Promise<Response> =>
    api.fetch(new Request(`http://localhost/api/${path}`, init), {
      incoming: new IncomingMessage(new Socket()),
    })
  return {
    root,
    log,
    fetch,
    close: () => api.close(),
    get: async (path: string): Promise<ApiAnswer> => answer(await fetch(path)),
    post: async (path: string, body: unknown = {}): Promise<ApiAnswer> =>
      answer(await fetch(path, { method: 'POST', body: JSON.stringify(body) })),
  }
}

export type CodeApiClient = ReturnType<typeof aCodeApi>

function structured(result: JsonObject): JsonObject {
  return isObject(result['structuredContent']) ? result['structuredContent'] : {}
}

async function answer(response: Response): Promise<ApiAnswer> {
  return { status: response.status, body: await response.json() }
}

/** The API's answer to a refused request. */
export const failing = (status: number, error: unknown) => ({
  status,
  body: { success: false, error },
})

/** Starts indexing and waits for its end, as a client does. */
export async function index(api: CodeApiClient, body: Record<string, unknown> = {}) {
  const started = await api.post('index', { project_path: api.root, ...body })
  expect(started).toMatchObject({ status: 200, body: { success: true } })
  return ended(api)
}

/** Waits for the last job to end, and returns it. */
export async function ended(api: CodeApiClient): Promise<Record<string, unknown>> {
  return vi.waitFor(
    async () => {
      const { body } = await api.get('indexing')
      const [job] = Array.isArray(body) ? body : []
      if (job.status === 'indexing' || job.status === 'stopping') throw new Error('not yet')
      return job
    },
    { timeout: 20_000, interval: 10 },
  )
}

export async function anIndexedApi(
  options?: Parameters<typeof aCodeApi>[0],
): Promise<CodeApiClient> {
  const api = aCodeApi(options)
  await index(api)
  return api
}
