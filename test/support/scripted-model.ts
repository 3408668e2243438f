import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { type SeenRequest, serveHttp, sendJson } from './http-server.ts'

/** The one tool call that the model makes before it answers with text. */
export interface Script {
  /** The end of the tool's name: clients put the name of the server in front. */
  readonly tool: string
  readonly args: JsonObject
}

export interface ScriptedModel {
  readonly url: string
  /** The names of the tools of the last request that had any. */
  readonly tools: () => readonly string[]
  /** The results of the call, as the client sent them. */
  readonly results: string[]
}

interface Turn {
  readonly tool: string | undefined
  readonly args: JsonObject
}

const DONE = 'The tool has answered.'

/** A streaming model with the APIs of Anthropic, OpenAI and Google that calls one tool. */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  let tools: readonly string[] = []
  const results: string[] = []
  const server = await serveHttp((request, response) => {
    const body = parse(request.body)
    const names = namesIn(body['tools'])
    if (names.length > 0) tools = names
    const found = names.find((name) => name.endsWith(script.tool))
    const result = resultIn(body)
    if (result !== undefined) results.push(result)
    const turn = { tool: result === undefined ? found : undefined, args: script.args }
    answer(request, response, turn)
  })
  onTestFinished(async () => server[Symbol.asyncDispose]())
  return { url: server.url, tools: () => tools, results }
}

function answer({ url }: SeenRequest, response: ServerResponse, turn: Turn): void {
  if (url.pathname.endsWith('/count_tokens')) return sendJson(response, { input_tokens: 1 })
  if (url.pathname.endsWith('/messages')) return stream(response, anthropic(turn))
  if (url.pathname.endsWith('/responses')) return stream(response, responses(turn))
  if (url.pathname.endsWith('/chat/completions')) return stream(response, [...chat(turn), '[DONE]'])
  if (url.pathname.endsWith(':streamGenerateContent')) return stream(response, gemini(turn))
  if (url.pathname.endsWith(':generateContent')) return sendJson(response, gemini(turn)[0])
  return sendJson(response, { data: [], models: [] })
}

function stream(response: ServerResponse, events: readonly (JsonObject | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    const type = isObject(event) && typeof event['type'] === 'string' ? event['type'] : undefined
    const data = typeof event === 'string' ? event : JSON.stringify(event)
    response.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`)
  }
  response.end()
}

function anthropic({ tool, args }: Turn): JsonObject[] {
  const block =
    tool === undefined
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: 'toolu_1', name: tool, input: {} }
  const delta =
    tool === undefined
      ? { type: 'text_delta', text: DONE }
      : { type: 'input_json_delta', partial_json: JSON.stringify(args) }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
  }
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: tool === undefined ? 'end_turn' : 'tool_use' },
      usage,
    },
    { type: 'message_stop' },
  ]
}

function responses({ tool, args }: Turn): JsonObject[] {
  // Tools of a namespace are called by their name without it.
  const [, namespace, name] = /^(mcp__\w+?)(?:::|\/)(.+)$/.exec(tool ?? '') ?? []
  const item =
    tool === undefined
      ? {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'output_text', text: DONE }],
        }
      : {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_1',
          name: name ?? tool,
          ...(namespace !== undefined && { namespace }),
          arguments: JSON.stringify(args),
        }
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  }
  return [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', usage, output: [item] } },
  ]
}

function chunk(delta: JsonObject, finish: string | null): JsonObject {
  return {
    id: 'chat_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finish }],
  }
}

function chat({ tool, args }: Turn): JsonObject[] {
  const call = { name: tool, arguments: JSON.stringify(args) }
  const delta =
    tool === undefined
      ? { role: 'assistant', content: DONE }
      : {
          role: 'assistant',
          tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }],
        }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  return [chunk(delta, null), { ...chunk({}, tool === undefined ? 'stop' : 'tool_calls'), usage }]
}

function gemini({ tool, args }: Turn): JsonObject[] {
  const part = tool === undefined ? { text: DONE } : { functionCall: { name: tool, args } }
  return [
    {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'scripted',
    },
  ]
}

/** Returns all tool names, wherever an API puts them; the namespace, if any, comes first. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (!isObject(value)) return []
  const { type, name, tools, function: own, functionDeclarations } = value
  if (type === 'namespace') return namesIn(tools).map((inner) => `${String(name)}/${inner}`)
  if (Array.isArray(functionDeclarations)) return namesIn(functionDeclarations)
  if (isObject(own)) return namesIn(own)
  return typeof name === 'string' ? [name] : []
}

/** Returns the messages of a request if they contain the result of the call. */
function resultIn(body: JsonObject): string | undefined {
  const text = JSON.stringify(body['messages'] ?? body['input'] ?? body['contents'] ?? null)
  const isResult = /"type":"tool_result"|"function_call_output"|"role":"tool"|"functionResponse"/
  return isResult.test(text) ? text : undefined
}

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
