/** What the test upstream answers, whatever carries the messages: one `Peer` per connection. */
import { Extras } from './extras.mjs'
import { dummyTools, toDefinition, TOOLS } from './tools.mjs'

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'

const PROMPTS = [
  { name: 'greet', description: 'Greets', arguments: [{ name: 'name', required: true }] },
]
const RESOURCES = [
  { uri: 'test://text', name: 'text', mimeType: 'text/plain', description: 'A text' },
  { uri: 'test://blob', name: 'blob', mimeType: 'application/octet-stream' },
  { uri: 'test://long', name: 'long', mimeType: 'text/plain' },
  { uri: 'test://who', name: 'who', mimeType: 'text/plain', description: 'The name of the server' },
]
const LONG = Array.from({ length: 5_000 }, (_, n) => `This is line ${n}`).join('\n')
const TEMPLATES = [{ uriTemplate: 'test://item/{id}', name: 'item', description: 'Any item' }]

class RpcFailure extends Error {
  constructor(code, message, data) {
    super(message)
    this.failure = { code, message, ...(data !== undefined && { data }) }
  }
}

/** The state that all connections of one upstream share. */
export class Upstream {
  constructor({
    tools = 0,
    name = 'test-upstream',
    pageSize = 1_000,
    era = 'both',
    extension,
    resources = 0,
    times = 1,
    extras = false,
  } = {}) {
    this.times = times
    this.extras = extras ? new Extras(name) : undefined
    const more = Array.from({ length: resources }, (_, n) => `more/${n}`)
    this.resources = [
      ...RESOURCES,
      ...more.map((path) => ({ uri: `test://${path}`, name: path })),
      ...(this.extras?.resources() ?? []),
    ]
    this.extension = extension
    this.name = name
    this.era = era
    this.pageSize = pageSize
    const extraTools = Object.entries(this.extras?.tools() ?? {})
    this.tools = new Map([...Object.entries(TOOLS), ...dummyTools(tools), ...extraTools])
    this.peers = new Set()
    this.calls = 0
    this.cancelled = []
  }

  broadcast(method, params) {
    for (const peer of this.peers) peer.push(method, params)
  }

  addTool(name, former) {
    const added = { ...TOOLS.echo, description: 'Added while running' }
    this.tools.set(name, this.tools.get(former) ?? added)
    this.tools.delete(former)
    this.broadcast('notifications/tools/list_changed', {})
  }

  definitions() {
    return Array.from({ length: this.times }, () => [...this.tools].map(toDefinition)).flat()
  }

  capabilities(modern) {
    return {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
      ...(this.extension && { extensions: { [this.extension]: { of: this.name } } }),
      ...this.extras?.capabilities(modern),
    }
  }

  page(key, items, cursor) {
    const from = Number(cursor ?? 0)
    const next = from + this.pageSize
    return {
      [key]: items.slice(from, next),
      ...(next < items.length && { nextCursor: String(next) }),
    }
  }
}

/** One connection: `channel` carries what is asked or told outside any call. */
export class Peer {
  constructor(upstream, channel) {
    this.upstream = upstream
    this.channel = channel
    this.running = new Map()
    this.asked = new Map()
    this.subscribed = new Set()
    this.calls = 0
    this.nextId = 1
    upstream.peers.add(this)
  }

  close() {
    this.upstream.peers.delete(this)
    for (const controller of this.running.values()) controller.abort()
  }

  push(method, params) {
    if (method === 'notifications/resources/updated' && !this.subscribed.has(params.uri)) return
    this.channel.send({ jsonrpc: '2.0', method, params })
  }

  /**
   * `stream` takes what belongs to this message; stdio gives the same one every time. `key` names the
   * call where several clients share a peer, whose ids may be the same.
   */
  async receive(message, stream, key = message.id) {
    if (message.method === undefined) return this.#answered(message)
    if (message.id === undefined) return this.#notified(message)
    const controller = new AbortController()
    this.running.set(key, controller)
    const call = new Call(this, message, stream, controller.signal)
    try {
      const result = await this.#answer(message, call)
      if (result !== undefined && !controller.signal.aborted) call.reply(result)
    } catch (error) {
      if (controller.signal.aborted) return undefined
      const failure = error.failure ?? { code: -32_603, message: String(error) }
      stream.end({ jsonrpc: '2.0', id: message.id, error: failure })
    } finally {
      this.running.delete(key)
    }
    return undefined
  }

  #answered({ id, result, error }) {
    const asked = this.asked.get(id)
    this.asked.delete(id)
    if (error) asked?.reject(new RpcFailure(error.code, error.message, error.data))
    else asked?.resolve(result)
  }

  #notified({ method, params }) {
    if (method === 'notifications/roots/list_changed') this.rootsChanged = true
    if (method !== 'notifications/cancelled') return
    this.upstream.cancelled.push(params.requestId)
    this.running.get(params.requestId)?.abort()
  }

  async ask(method, params, stream) {
    const id = `ask-${this.nextId++}`
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject })
      stream.send({ jsonrpc: '2.0', id, method, params })
    })
  }

  #answer({ method, params = {} }, call) {
    const extra = this.upstream.extras?.answer(method, params, call)
    if (extra) return extra
    const answer = METHODS[method]
    if (!answer) throw new RpcFailure(-32_601, `Method not found: ${method}`)
    return answer(params, call, this)
  }
}

class Call {
  constructor(peer, { id, params }, stream, signal) {
    this.peer = peer
    this.id = id
    this.params = params ?? {}
    this.meta = this.params['_meta'] ?? {}
    this.modern = this.meta[`${META}protocolVersion`] !== undefined
    this.stream = stream
    this.signal = signal
  }

  reply(result) {
    const whole = this.modern ? { resultType: 'complete', ...result } : result
    this.stream.end({ jsonrpc: '2.0', id: this.id, result: whole })
  }

  replyRaw(text) {
    const result = this.modern ? `{"resultType":"complete",${text.slice(1)}` : text
    this.stream.endRaw(`{"jsonrpc":"2.0","id":${JSON.stringify(this.id)},"result":${result}}`)
  }

  fail(code, message, data) {
    throw new RpcFailure(code, message, data)
  }

  notify(method, params) {
    if (!this.signal.aborted) this.stream.send({ jsonrpc: '2.0', method, params })
  }

  progress(progress, total, message) {
    const { progressToken } = this.meta
    if (progressToken === undefined) return
    this.notify('notifications/progress', { progressToken, progress, total, message })
  }

  /** Asks the client: by a request of ours in the legacy era, by `input_required` in the modern one. */
  async request(method, params) {
    if (!this.modern) return this.peer.ask(method, params, this.stream)
    const answer = this.params.inputResponses?.answer
    if (answer !== undefined) return answer
    this.reply({ resultType: 'input_required', inputRequests: { answer: { method, params } } })
    return new Promise(() => {})
  }

  async requestOutside(method, params) {
    return this.peer.ask(method, params, this.peer.channel)
  }

  async sleep(ms) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      this.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(new Error('cancelled'))
      })
    })
  }

  raw(line) {
    this.stream.raw(line)
  }

  cut() {
    this.stream.cut()
  }

  addTool(name, former) {
    this.peer.upstream.addTool(name, former)
  }

  touch(uri) {
    this.peer.upstream.broadcast('notifications/resources/updated', { uri })
  }

  known() {
    const { upstream, calls, client, rootsChanged } = this.peer
    return {
      client: this.modern
        ? {
            protocolVersion: this.meta[`${META}protocolVersion`],
            clientInfo: this.meta[`${META}clientInfo`],
            capabilities: this.meta[`${META}clientCapabilities`],
          }
        : client,
      meta: this.meta,
      headers: this.stream.headers,
      rootsChanged: rootsChanged === true,
      callsOnConnection: calls,
      calls: upstream.calls,
      connections: upstream.peers.size,
      cancelled: upstream.cancelled,
    }
  }
}

const METHODS = {
  initialize(params, call, peer) {
    if (peer.upstream.era === 'modern') return call.fail(-32_022, 'Unsupported protocol version')
    peer.client = params
    const asked = params.protocolVersion
    return {
      protocolVersion: VERSIONS.includes(asked) ? asked : VERSIONS[0],
      capabilities: peer.upstream.capabilities(false),
      serverInfo: { name: peer.upstream.name, version: '1.0.0' },
      instructions: 'A server for tests.',
    }
  },
  'server/discover': (_, call, { upstream }) => {
    if (!call.modern || upstream.era === 'legacy')
      return call.fail(-32_601, 'Method not found: server/discover')
    return {
      supportedVersions: [MODERN],
      capabilities: upstream.capabilities(true),
      instructions: 'A server for tests.',
      ttlMs: 0,
      cacheScope: 'public',
      _meta: { [`${META}serverInfo`]: { name: upstream.name, version: '1.0.0' } },
    }
  },
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': ({ cursor }, call, { upstream }) =>
    cacheable(call, upstream.page('tools', upstream.definitions(), cursor)),
  'tools/call': ({ name, arguments: args = {} }, call, peer) => {
    const tool = peer.upstream.tools.get(name)
    if (!tool) return call.fail(-32_602, `Unknown tool: ${name}`)
    peer.calls++
    peer.upstream.calls++
    return tool.run(args, call)
  },
  'resources/list': ({ cursor }, call, { upstream }) =>
    cacheable(call, upstream.page('resources', upstream.resources, cursor)),
  'resources/templates/list': (_, call) => cacheable(call, { resourceTemplates: TEMPLATES }),
  'resources/read': ({ uri }, call, { upstream }) => {
    const extra = upstream.extras?.read(uri)
    if (extra) return cacheable(call, { contents: [extra] })
    if (uri === 'test://who') return cacheable(call, { contents: [{ uri, text: upstream.name }] })
    if (uri === 'test://long') return cacheable(call, { contents: [{ uri, text: LONG }] })
    const item = /^test:\/\/item\/(.+)$/.exec(uri)?.[1]
    if (uri === 'test://text') return cacheable(call, { contents: [{ uri, text: 'a text' }] })
    if (uri === 'test://blob') return cacheable(call, { contents: [{ uri, blob: 'AAEC' }] })
    if (item) return cacheable(call, { contents: [{ uri, text: `item ${item}` }] })
    return call.fail(call.modern ? -32_602 : -32_002, 'Resource not found', { uri })
  },
  'resources/subscribe': ({ uri }, _, peer) => {
    peer.subscribed.add(uri)
    return {}
  },
  'resources/unsubscribe': ({ uri }, _, peer) => {
    peer.subscribed.delete(uri)
    return {}
  },
  'prompts/list': ({ cursor }, call, { upstream }) =>
    cacheable(call, upstream.page('prompts', PROMPTS, cursor)),
  'prompts/get': ({ name, arguments: args = {} }, call, { upstream }) => {
    if (name !== 'greet') return call.fail(-32_602, `Unknown prompt: ${name}`)
    const content = { type: 'text', text: `Greet ${args.name}` }
    return { description: 'Greets', messages: [{ role: 'user', content }], server: upstream.name }
  },
  'completion/complete': ({ ref, argument }, call, { upstream }) => {
    const isKnown =
      ref.type === 'ref/prompt' ? ref.name === 'greet' : ref.uri === 'test://item/{id}'
    if (!isKnown) return call.fail(-32_602, 'Unknown reference', { ref })
    const values = ['ada', 'bob', upstream.name]
    return { completion: { values: values.filter((value) => value.startsWith(argument.value)) } }
  },
}

function cacheable(call, result) {
  return call.modern ? { ttlMs: 0, cacheScope: 'public', ...result } : result
}
