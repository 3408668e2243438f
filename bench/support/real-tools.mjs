// Tool definitions of the real world: official MCP servers, really started, and the operations of a real spec.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { unpack } from '../apis/specs.mjs'

const require = createRequire(import.meta.url)

const SERVERS = {
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

/** Every tool of every server as the gateway knows it: server, name, definition, readOnly. */
export async function serverTools() {
  const lists = await Promise.all(
    Object.entries(SERVERS).map(async ([name, options]) => {
      const definitions = await listTools(name, options)
      return definitions.map((definition) => ({
        server: name,
        name: definition.name,
        definition,
        readOnly: definition.annotations?.readOnlyHint === true,
      }))
    }),
  )
  return lists.flat()
}

async function listTools(name, { args = [], env = {} }) {
  const entry = packageFile(`@modelcontextprotocol/server-${name}`, 'dist/index.js')
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  try {
    return await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
      createInterface({ input: child.stdout }).on('line', (line) => {
        const message = JSON.parse(line)
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
  } finally {
    child.removeAllListeners('exit')
    child.kill()
  }
}

function packageFile(name, file) {
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

export function readSpec(name = 'api.github.com') {
  const path = `package/generated/${name}.json`
  return JSON.parse(readFileSync(unpack('@octokit/openapi@23.0.2', name, path), 'utf8'))
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** The operations of a spec as tools, with their parameters and body fields. */
export function specTools(spec, server) {
  const tools = []
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const method of METHODS) {
      const operation = item[method]
      if (!operation?.operationId) continue
      tools.push({
        server,
        name: operation.operationId.replaceAll(/[/-]/g, '_'),
        definition: toDefinition(spec, operation, `${method.toUpperCase()} ${path}`),
        readOnly: method === 'get',
      })
    }
  }
  return tools
}

function toDefinition(spec, operation, route) {
  const { operationId, summary, description } = operation
  return {
    name: operationId.replaceAll(/[/-]/g, '_'),
    description: [summary, description?.split('\n')[0]].filter(Boolean).join('. '),
    inputSchema: inputSchema(spec, operation),
    ...outputSchema(spec, operation),
    annotations: { title: summary, route },
  }
}

function inputSchema(spec, operation) {
  const parameters = (operation.parameters ?? []).map((given) => follow(spec, given))
  const body = jsonSchema(spec, operation.requestBody)
  const fields = Object.entries(body?.properties ?? {}).map(([name, schema]) => [
    name,
    { ...simple(spec, schema), description: follow(spec, schema)?.description },
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
      ...(body?.required ?? []),
    ],
  }
}

function outputSchema(spec, operation) {
  const responses = Object.entries(operation.responses ?? {})
  const [, answer] = responses.find(([status]) => status.startsWith('2')) ?? []
  const schema = jsonSchema(spec, answer)
  return schema ? { outputSchema: simple(spec, schema) } : {}
}

function jsonSchema(spec, holder) {
  return follow(spec, follow(spec, holder)?.content?.['application/json']?.schema)
}

function simple(spec, given) {
  const schema = follow(spec, given) ?? {}
  const items = schema.items && simple(spec, schema.items)
  const fields = Object.keys(schema.properties ?? {})
  return {
    ...(schema.type && { type: schema.type }),
    ...(schema.enum && { enum: schema.enum }),
    ...(items && { items }),
    ...(fields.length > 0 && { properties: Object.fromEntries(fields.map((name) => [name, {}])) }),
  }
}

export function follow(spec, node) {
  let current = node
  for (let hops = 0; current?.$ref && hops < 10; hops++) {
    current = current.$ref
      .slice(2)
      .split('/')
      .reduce((at, part) => at?.[part.replaceAll('~1', '/')], spec)
  }
  return current
}
