/** The tools of the test upstream, alike on every transport. Raw JSON-RPC, so that every byte is ours. */
import { spawn } from 'node:child_process'

const text = (value) => ({ content: [{ type: 'text', text: value }] })
const json = (value) => ({ ...text(JSON.stringify(value)), structuredContent: value })

/** Written out, because JSON.parse in between would lose the big integers and the trailing zero. */
const ODD =
  '{"content":[{"type":"text","text":"odd","annotations":{"audience":["user"],"priority":0.5,"vendorNote":1},"_meta":{"com.example/block":1},"vendorField":[1,null]},' +
  '{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"audio","data":"AAAA","mimeType":"audio/wav"},' +
  '{"type":"hologram","depth":3}],' +
  '"structuredContent":{"big":9007199254740993,"bigger":18446744073709551615,"one":1.0,"tiny":1e-7,"long":0.1000000000000000055,"text":"\\u00e9\\ud83d\\ude00","nothing":null},' +
  '"_meta":{"com.example/result":{"kept":true}},"isError":false,"vendorTop":{"z":[]}}'

const LINKED =
  '{"content":[{"type":"text","text":"see test://text"},' +
  '{"type":"resource_link","uri":"test://text","name":"a link","vendorField":true},' +
  '{"type":"resource","resource":{"uri":"test://text","text":"inside","vendorField":"x"}}],' +
  '"structuredContent":{"big":9007199254740993,"uri":"test://text"}}'

async function slow({ ms = 1_000, steps = 4 }, call) {
  for (let step = 1; step <= steps; step++) {
    await call.sleep(ms / steps)
    call.progress(step, steps, `step ${step}`)
  }
  return text(`slept ${ms} ms`)
}

async function ask(call, method, params) {
  return json({ answer: await call.request(method, params) })
}

/** Each gets its arguments and the call, and returns a result; `undefined` means it answers never or by itself. */
export const TOOLS = {
  echo: {
    description: 'Gives back its text',
    readOnly: true,
    properties: { text: { type: 'string' } },
    run: (args) => text(args.text ?? JSON.stringify(args)),
  },
  slow: {
    description: 'Takes its time, reports progress, stops when cancelled',
    properties: { ms: { type: 'number' }, steps: { type: 'integer' } },
    run: slow,
  },
  big: {
    description: 'Answers with that many bytes of text',
    readOnly: true,
    properties: { bytes: { type: 'integer' } },
    run: ({ bytes = 1_000_000 }) => text('x'.repeat(bytes)),
  },
  fail: {
    description: 'Says that it failed',
    properties: { text: { type: 'string' } },
    run: (args) => ({ ...text(args.text ?? 'it failed'), isError: true }),
  },
  rpc_error: {
    description: 'Answers with a JSON-RPC error',
    properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
    run: ({ code = -31_999, message = 'refused', data }, call) => call.fail(code, message, data),
  },
  crash: {
    description: 'Ends the process in the middle of the call',
    properties: { ms: { type: 'number' }, code: { type: 'integer' } },
    run: ({ ms = 0, code = 17 }) => void setTimeout(() => process.exit(code), ms),
  },
  hang: { description: 'Never answers', properties: {}, run: () => undefined },
  garbage: {
    description: 'Writes lines that are no JSON-RPC, then answers',
    properties: {},
    run(_, call) {
      for (const line of ['this is not JSON', '{"jsonrpc":"2.0","id":', '[]', '{"id":"stray"}', ''])
        call.raw(line)
      return text('after the garbage')
    },
  },
  die: {
    description: 'Cuts the connection in the middle of the answer',
    properties: {},
    run: (_, call) => void call.cut(),
  },
  flood_stderr: {
    description: 'Writes that many bytes to stderr, then answers',
    properties: { bytes: { type: 'integer' } },
    async run({ bytes = 10_000_000 }) {
      const line = `${'noise '.repeat(170)}\n`
      for (let written = 0; written < bytes; written += line.length)
        if (!process.stderr.write(line))
          await new Promise((resolve) => process.stderr.once('drain', resolve))
      return text(`wrote ${bytes} bytes`)
    },
  },
  odd: {
    description: 'Answers with every kind of content, known and unknown, but for resources',
    readOnly: true,
    properties: {},
    run: (_, call) => call.replyRaw(ODD),
  },
  linked: {
    description: 'Answers with a link to a resource and with a resource',
    readOnly: true,
    properties: {},
    run: (_, call) => call.replyRaw(LINKED),
  },
  whoami: {
    description: 'Tells what this server knows about itself and its client',
    properties: {},
    run: (_, call) =>
      json({
        pid: process.pid,
        ppid: process.ppid,
        cwd: process.cwd(),
        env: process.env,
        argv: process.argv.slice(2),
        ...call.known(),
      }),
  },
  spawn_child: {
    description: 'Starts a process of its own and tells its pid',
    properties: {},
    run() {
      const program = 'setInterval(() => {}, 1000)'
      const child = spawn(process.execPath, ['-e', program], { stdio: 'ignore' })
      child.unref()
      return json({ pid: child.pid })
    },
  },
  ask_roots: {
    description: "Asks for the client's roots",
    properties: {},
    run: async (_, call) => ask(call, 'roots/list', {}),
  },
  ask_sampling: {
    description: "Asks the client's model",
    properties: { prompt: { type: 'string' } },
    run: async ({ prompt = 'Say hello' }, call) =>
      ask(call, 'sampling/createMessage', {
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 50,
      }),
  },
  ask_elicitation: {
    description: "Asks the client's user",
    properties: { message: { type: 'string' } },
    run: async ({ message = 'Your name?' }, call) =>
      ask(call, 'elicitation/create', {
        message,
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      }),
  },
  outside_question: {
    description: "Asks the client's user by the standing stream, which belongs to no call",
    properties: {},
    run: async (_, call) =>
      json({ answer: await call.requestOutside('elicitation/create', { message: 'Who?' }) }),
  },
  log: {
    description: 'Sends log messages while it runs',
    properties: { level: { type: 'string' }, text: { type: 'string' } },
    run({ level = 'info', text: data = 'hello' }, call) {
      call.notify('notifications/message', { level, logger: 'upstream', data })
      return text('logged')
    },
  },
  add_tool: {
    description: 'Adds a tool, also in place of another, and tells that the list has changed',
    properties: { name: { type: 'string' }, instead_of: { type: 'string' } },
    run({ name = 'added', instead_of: former }, call) {
      call.addTool(name, former)
      return text(`added ${name}`)
    },
  },
  touch: {
    description: 'Changes a resource and tells its subscribers',
    properties: { uri: { type: 'string' } },
    run({ uri = 'test://text' }, call) {
      call.touch(uri)
      return text(`touched ${uri}`)
    },
  },
}

export function toDefinition([name, { description, properties, readOnly, more }]) {
  return {
    name,
    title: `The tool ${name}`,
    description,
    inputSchema: { type: 'object', properties },
    annotations: { readOnlyHint: readOnly === true },
    _meta: { 'com.example/tool': name },
    ...more,
  }
}

const PARAGRAPH =
  'Looks up records in the named collection, filters them with the given conditions, sorts them and ' +
  'returns one page of results. Use it when the question is about existing data; it never changes ' +
  'anything. Dates are ISO 8601, amounts are in minor units, and unknown fields are ignored.'

/** About 200 tokens each: six properties and a paragraph. */
export function dummyTools(count) {
  return Array.from({ length: count }, (_, n) => [
    `dummy_${n}`,
    {
      description: `${PARAGRAPH} This is number ${n}.`,
      readOnly: true,
      properties: Object.fromEntries(
        ['collection', 'filter', 'sort', 'limit', 'cursor', 'fields'].map((name) => [
          name,
          { type: 'string', description: `The ${name} to use for the records` },
        ]),
      ),
      run: (args) => text(`dummy ${n} ${JSON.stringify(args)}`),
    },
  ])
}
