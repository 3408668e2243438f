// Real tool definitions: those of official MCP servers, which are started, and operations of a real
// spec.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { withTimeout } from '../../src/base/flow/time.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { Tool } from '../../src/gateway/upstream.ts'
import { list, object, text, texts } from '../../src/upstreams/openapi/spec/read-values.ts'
import { unpack } from '../apis/specs.ts'
import { deref } from './deref.ts'

const require = createRequire(import.meta.url)

export interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const SERVERS: Readonly<Record<string, StartOptions>> = {
  everything: {},
  filesystem: { args: [tmpdir()] },
  memory: { env: { MEMORY_FILE_PATH: join(tmpdir(), `bench-memory-${process.pid}.json`) } },
  'sequential-thinking': {},
  // Listing tools needs no account; these only refuse to start without a key.
  github: { env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'none' } },
  slack: { env: { SLACK_BOT_TOKEN: 'none', SLACK_TEAM_ID: 'none' } },
  'google-maps': { env: { GOOGLE_MAPS_API_KEY: 'none' } },
  gitlab: { env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' } },
}

/** Returns every tool of every server, as the gateway has it. */
export async function serverTools(): Promise<Tool[]> {
  const lists = await Promise.all(
    Object.entries(SERVERS).map(async ([name, options]) => {
      const definitions = await listTools(name, options)
      return definitions.map((definition) => toolOf(name, definition))
    }),
  )
  return lists.flat()
}

export function toolOf(server: string, definition: JsonObject): Tool {
  const readOnly = object(definition['annotations'])['readOnlyHint'] === true
  return { server, name: text(definition['name']), definition, readOnly }
}

/** The answer that is read here; other messages have other ids. */
interface Answer {
  readonly id?: number
  readonly result: { readonly tools: readonly JsonObject[] }
}

async function listTools(name: string, options: StartOptions): Promise<readonly JsonObject[]> {
  return listToolsOf(packageFile(`@modelcontextprotocol/server-${name}`, 'dist/index.js'), options)
}

/** Some servers take seconds to load, and ten times as long on a busy machine. */
const LISTED_WITHIN_MS = 90_000

/** Starts a server from a script, and lists its tools. */
export async function listToolsOf(
  entry: string,
  { args = [], env = {} }: StartOptions,
): Promise<readonly JsonObject[]> {
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const send = (message: JsonObject) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  try {
    const listed = new Promise<readonly JsonObject[]>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${entry} ended with ${String(code)}`)))
      createInterface({ input: child.stdout }).on('line', (line) => {
        const message: Answer = JSON.parse(line)
        if (message.id === 1) {
          send({ method: 'notifications/initialized' })
          send({ id: 2, method: 'tools/list', params: {} })
        }
        if (message.id === 2) resolve(message.result.tools)
      })
      send({
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'bench', version: '1' },
        },
      })
    })
    return await withTimeout(listed, LISTED_WITHIN_MS, () => {
      throw new Error(`${entry} did not list its tools within ${LISTED_WITHIN_MS / 1000} s`)
    })
  } finally {
    child.removeAllListeners('exit')
    child.kill()
  }
}

function packageFile(name: string, file: string): string {
  const paths = require.resolve.paths(name) ?? []
  for (const folder of paths) {
    const path = join(folder, name, file)
    try {
      readFileSync(join(dirname(path), '../package.json'))
      return path
    } catch {
      continue
    }
  }
  throw new Error(`${name} is not installed: npm ci`)
}

export function readSpec(name = 'api.github.com'): JsonObject {
  const path = `package/generated/${name}.json`
  return object(JSON.parse(readFileSync(unpack('@octokit/openapi@23.0.2', name, path), 'utf8')))
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Turns the operations of a spec into tools, with their parameters and body fields. */
export function specTools(spec: JsonObject, server: string): Tool[] {
  const tools: Tool[] = []
  for (const [path, item] of Object.entries(object(spec.paths))) {
    for (const method of METHODS) {
      const operation = object(object(item)[method])
      const name = text(operation.operationId).replaceAll(/[/-]/g, '_')
      if (name === '') continue
      const definition = toDefinition(spec, {
        name,
        operation,
        route: `${method.toUpperCase()} ${path}`,
      })
      tools.push({ server, name, definition, readOnly: method === 'get' })
    }
  }
  return tools
}

interface Described {
  readonly name: string
  readonly operation: JsonObject
  readonly route: string
}

function toDefinition(spec: JsonObject, { name, operation, route }: Described): JsonObject {
  const { summary, description } = operation
  return {
    name,
    description: [summary, text(description).split('\n')[0]].filter(Boolean).join('. '),
    inputSchema: inputSchema(spec, operation),
    ...outputSchema(spec, operation),
    annotations: { title: summary, route },
  }
}

function inputSchema(spec: JsonObject, operation: JsonObject): JsonObject {
  const parameters = list(operation.parameters).map((given) => deref(spec, given))
  const body = jsonSchema(spec, operation.requestBody)
  const fields = Object.entries(object(body.properties)).map(([name, schema]) => [
    name,
    { ...simple(spec, schema), description: deref(spec, schema).description },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...parameters.map(({ name, schema, description }) => [
        name,
        { ...simple(spec, schema), description },
      ]),
      ...fields,
    ]),
    required: [
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...texts(body.required),
    ],
  }
}

function outputSchema(spec: JsonObject, operation: JsonObject): JsonObject {
  const responses = Object.entries(object(operation.responses))
  const [, answer] = responses.find(([status]) => status.startsWith('2')) ?? []
  const schema = jsonSchema(spec, answer)
  return Object.keys(schema).length > 0 ? { outputSchema: simple(spec, schema) } : {}
}

/** Returns the schema of a JSON body or answer. */
function jsonSchema(spec: JsonObject, holder: unknown): JsonObject {
  const content = object(deref(spec, holder).content)
  return deref(spec, object(content['application/json']).schema)
}

function simple(spec: JsonObject, given: unknown): JsonObject {
  const schema = deref(spec, given)
  const items = schema.items === undefined ? undefined : simple(spec, schema.items)
  const fields = Object.keys(object(schema.properties))
  return {
    ...(schema.type !== undefined && { type: schema.type }),
    ...(schema.enum !== undefined && { enum: schema.enum }),
    ...(items !== undefined && { items }),
    ...(fields.length > 0 && { properties: Object.fromEntries(fields.map((name) => [name, {}])) }),
  }
}
