import { isObject, type JsonObject } from '../../src/base/json/json.ts'
import type { ProgressUpdate, Service } from '../../src/protocol/service.ts'
import { createKnowledgeService } from '../../src/builtins/knowledge/create-knowledge-service.ts'
import type { KnowledgeOptions } from '../../src/builtins/knowledge/knowledge-base.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface RunningKnowledge {
  readonly home: string
  readonly storage: Storage
  readonly service: Service
  readonly progress: ProgressUpdate[]
  /** Calls a tool and returns its raw result. */
  call(name: string, args?: JsonObject): Promise<JsonObject>
  /** Calls a tool and returns its JSON body; the text must match the structured content. */
  ask(name: string, args?: JsonObject): Promise<JsonObject>
  close(): Promise<void>
}

/** Starts a knowledge service over a real SQLite file in its own folder. */
export async function startKnowledge(
  options: Partial<KnowledgeOptions> = {},
): Promise<RunningKnowledge> {
  const folder = await temporaryFolder()
  const storage = options.storage ?? (await openStorage({ home: folder.path }))
  const service = createKnowledgeService({ countTokens, home: folder.path, ...options, storage })
  const progress: ProgressUpdate[] = []

  async function call(name: string, args: JsonObject = {}): Promise<JsonObject> {
    return service.handle(
      'tools/call',
      { name, arguments: args },
      {
        signal: new AbortController().signal,
        agent: 'tester',
        isRemote: false,
        headers: {},
        project: async () => ({ path: folder.path, source: 'cwd' }),
        progress: (update) => progress.push(update),
      },
    )
  }

  return {
    home: folder.path,
    storage,
    service,
    progress,
    call,
    async ask(name, args) {
      return bodyOf(await call(name, args))
    },
    async close() {
      await service.close()
      await storage.close()
      await folder.remove()
    },
  }
}

export function bodyOf(result: JsonObject): JsonObject {
  const [first]: unknown[] = Array.isArray(result['content']) ? result['content'] : []
  const text = isObject(first) ? String(first['text']) : ''
  const body: unknown = JSON.parse(text)
  if (!isObject(body)) throw new TypeError(`Not a JSON object: ${text}`)
  if (JSON.stringify(body) !== JSON.stringify(result['structuredContent'])) {
    throw new TypeError('The text and the structured content differ')
  }
  return body
}

/** Returns a list of objects inside a body. */
export function listOf(body: JsonObject, key: string): JsonObject[] {
  const value = body[key]
  if (!Array.isArray(value)) throw new TypeError(`No list ${key} in ${JSON.stringify(body)}`)
  return value.filter(isObject)
}
