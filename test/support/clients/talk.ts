import { type JsonObject, isObject } from '../../../src/base/json/json.ts'
import type { Session } from './session.ts'

export async function call(session: Session, name: string, args: JsonObject = {}) {
  return session.request('tools/call', { name, arguments: args })
}

export async function execute(
  session: Session,
  server: string,
  tool: string,
  args: JsonObject = {},
) {
  return call(session, 'execute_tool', { server, tool, args })
}

/** Calls a tool that reports progress; returns after its first progress notification. */
export async function callUntilProgress(session: Session, name: string, args: JsonObject) {
  let result: Promise<JsonObject> | undefined
  await new Promise<void>((resolve, reject) => {
    const params = { name, arguments: args }
    result = session.request('tools/call', params, { onProgress: () => resolve() })
    result.catch(reject)
  })
  return { result: Promise.resolve(result ?? {}) }
}

export function textOf(result: JsonObject): string {
  const [block]: unknown[] = Array.isArray(result['content']) ? result['content'] : []
  return isObject(block) ? String(block['text']) : ''
}

/** Parses the answer of one of the gateway's own tools. */
export function valueOf(result: JsonObject): JsonObject {
  const value: unknown = JSON.parse(textOf(result))
  return isObject(value) ? value : { list: value }
}

export function structured(result: JsonObject): JsonObject {
  return isObject(result['structuredContent']) ? result['structuredContent'] : {}
}

/** Returns the content of an error answer, whatever error class the client uses. */
export async function refusal(asked: Promise<unknown>) {
  const error: unknown = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Error)) throw new Error('it was answered')
  const more: { code?: unknown; data?: unknown } = Object(error)
  return { code: more.code, data: more.data, message: error.message }
}

export async function toolNames(session: Session): Promise<string[]> {
  const { tools } = await session.request('tools/list')
  return Array.isArray(tools) ? tools.map(({ name }: { name: string }) => name) : []
}
